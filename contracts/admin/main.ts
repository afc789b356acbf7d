#!/usr/bin/env node
import { checkNode } from '../deploy/check-node.js';

checkNode('admin');
await import('./cli.js');
