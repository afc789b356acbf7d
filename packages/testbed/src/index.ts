export { startRpcProxy, type RpcHook, type RpcHooks, type RpcProxy } from './chaos/rpc-proxy.js';
export { Progress } from './demo/progress.js';
export { ApiRefusal, User, type Sent } from './demo/user.js';
export { waitUntil } from './processes/wait-until.js';
export { bootWorld } from './world/boot-world.js';
export { stackFileSchema, type StackFile } from './world/stack-file.js';
export type { World } from './world/world.js';
export { DEFAULT_WORLD_OPTIONS, type WorldOptions } from './world/world-options.js';
