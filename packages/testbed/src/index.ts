export { bootWorld } from './world/boot-world.js';
