import { MIGRATIONS } from './migrations.js';

/** A program that uses the database. */
export interface Program {
  /** Such as `relayer`. */
  readonly service: string;
  readonly version: string;
  /** The name of this instance, such as RELAYER_NAME. */
  readonly name?: string;
}

/** A parsed application_name of pg_stat_activity. */
export interface ProgramLabel extends Program {
  /** The number of the newest migration that the program ships: the first 14 digits of its name. */
  readonly migration: string;
}

/** PostgreSQL truncates application_name to 63 bytes. */
const LONGEST = 63;
const LONGEST_VERSION = 16;
const NUMBER_LENGTH = 14;
const LABEL = /^causeway-(\w+)\/(\S+) (\d{14})(?: (.+))?$/;
/** Sessions of commands. */
const COMMAND: Program = { service: 'command', version: '-' };

/** The number of a migration. Numbers sort in the order of application. */
export function getNumber(migration: string): string {
  return migration.slice(0, NUMBER_LENGTH);
}

/** Describes a program for application_name: `causeway-relayer/1.2.3 20261122000000 relayer-1`. */
export function labelProgram(program: Program = COMMAND, migration: string = MIGRATIONS.at(-1)?.name ?? ''): string {
  const { service, version, name } = program;
  const label = `causeway-${service}/${version.slice(0, LONGEST_VERSION)} ${getNumber(migration)}`;
  const whole = name === undefined ? label : `${label} ${name}`;
  // PostgreSQL replaces other characters by `?`.
  return whole.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, LONGEST);
}

/** Parses an application_name. Null when it is not one of our programs. */
export function readLabel(text: string): ProgramLabel | null {
  const [, service, version, migration, name] = LABEL.exec(text) ?? [];
  if (service === undefined || version === undefined || migration === undefined) return null;
  return { service, version, migration, ...(name === undefined ? {} : { name }) };
}
