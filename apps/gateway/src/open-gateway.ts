import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { createBackend } from './backends/create-backend.js';
import { EmbeddedBackend } from './backends/embedded/embedded-backend.js';
import type { Configuration } from './config/configuration.js';
import { VERSION } from './config/version.js';
import { createGateway } from './create-gateway.js';
import { createMethods } from './methods/create-methods.js';
import { MethodsModule } from './methods/methods.module.js';
import { MirrorModule } from './mirror/mirror.module.js';

/**
 * The whole gateway as its configuration asks for it: the backend, the methods, and in front of the embedded chain the mirror endpoints. It
 * is not listening yet; closing it ends all of them.
 *
 * @throws Error that says what cannot be, as `createBackend` does.
 */
export async function openGateway(configuration: Configuration, logger: Logger): Promise<NestFastifyApplication> {
  const backend = await createBackend(configuration.backend, logger);
  try {
    const info = { title: "Partner chain's JSON-RPC", version: VERSION };
    const created = createMethods(backend, info, logger);
    const mirror = backend instanceof EmbeddedBackend ? [MirrorModule.from(backend)] : [];
    const modules = [MethodsModule.from(created), ...mirror];
    return await createGateway(configuration, backend, { methods: created.methods, logger, modules });
  } catch (error) {
    await backend.close();
    throw error;
  }
}
