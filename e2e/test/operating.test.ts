import { afterAll, beforeAll } from '@jest/globals';
import { describeDoctor } from './operating/doctor.js';
import { describeGatewayKeys } from './operating/gateway-keys.js';
import { describeNotifications } from './operating/notifications.js';
import { temporaryEnvironment, type TestEnvironment } from './temporary-environment.js';

// What operators rely on, on one bridge, which each part leaves as it was. The last one ends it.

let environment: TestEnvironment;
beforeAll(async () => {
  environment = await temporaryEnvironment();
});
afterAll(async () => environment?.stop());

describeGatewayKeys(() => environment);
describeNotifications(() => environment);
describeDoctor(() => environment);
