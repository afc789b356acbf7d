#!/usr/bin/env node
import { checkNode } from '../cli/check-node.js';

checkNode('deploy');
await import('./cli.js');
