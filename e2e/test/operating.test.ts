import { afterAll, beforeAll } from '@jest/globals';
import { describeDoctor } from './operating/doctor.js';
import { describeGatewayKeys } from './operating/gateway-keys.js';
import { describeNotifications } from './operating/notifications.js';
import { temporaryEnvironment, type TestEnvironment } from './temporary-environment.js';

// Gateway keys, notifications and the doctor on one bridge. Each part restores it; only the last one pauses it.

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await temporaryEnvironment();
});
afterAll(async () => environment?.stop());

describeGatewayKeys(() => environment);
describeNotifications(() => environment);
describeDoctor(() => environment);
