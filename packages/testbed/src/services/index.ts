export {
  THIS_RELEASE,
  type BridgeService,
  type Release,
  type RunningService,
  type Variables,
} from './bridge-services.js';
export { startFleet, type Fleet } from './fleet.js';
