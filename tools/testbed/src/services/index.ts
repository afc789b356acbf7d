export { THIS_RELEASE, type BridgeService, type Release, type RunningService } from './bridge-services.js';
export type { Variables } from '../bridge/descriptions.js';
export { THIS_RELEASE_IN_IMAGES } from './image.js';
export { startFleet, type Fleet } from './fleet.js';
