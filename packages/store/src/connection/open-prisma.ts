import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { PrismaClient } from '../generated/prisma/client.js';
import { getSchema } from './session.js';

// A separate module, because programs that only apply migrations do not load the ORM.

/** Opens the ORM on a pool. */
export function openPrisma(pool: Pool, databaseUrl: string): PrismaClient {
  return new PrismaClient({
    adapter: new PrismaPg(pool, { schema: getSchema(databaseUrl) }),
    transactionOptions: { maxWait: 5_000, timeout: 20_000 },
  });
}
