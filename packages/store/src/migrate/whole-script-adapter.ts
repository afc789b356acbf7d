import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { Pool } from 'pg';

/**
 * Prisma's adapter for PostgreSQL cuts a script at every semicolon, also inside the body of a function. This one hands it
 * to PostgreSQL as it is, in one query, which also makes a migration atomic.
 */
export class WholeScriptAdapter extends PrismaPg {
  constructor(private readonly scripts: Pool) {
    super(scripts);
  }

  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect();
    const whole: Pick<SqlDriverAdapter, 'executeScript'> = {
      executeScript: async (script) => {
        await this.scripts.query(script);
      },
    };
    return Object.assign(adapter, whole);
  }
}
