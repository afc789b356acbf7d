#!/usr/bin/env node
import { checkNode } from '../cli/check-node.js';

checkNode('admin');
await import('./cli.js');
