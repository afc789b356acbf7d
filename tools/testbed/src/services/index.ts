export {
  THIS_RELEASE,
  type BridgeService,
  type Release,
  type RunningService,
  type Variables,
} from './bridge-services.js';
export { THIS_RELEASE_IN_IMAGES } from './image.js';
export { startFleet, type Fleet } from './fleet.js';
