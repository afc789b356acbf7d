#!/usr/bin/env node
import { checkNode } from './check-node.js';

checkNode('deploy');
await import('./cli.js');
