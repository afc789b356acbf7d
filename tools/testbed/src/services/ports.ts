import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { Ports } from './bridge-services.js';

export const GATEWAYS = ['gateway-1', 'gateway-2'] as const;
export const APIS = ['api-1', 'api-2', 'api-3'] as const;
const RELAYERS = ['relayer-1', 'relayer-2'] as const;

/** The ports of a fleet on 127.0.0.1. */
export interface FleetPorts {
  readonly ethereum: number;
  readonly node: Ports;
  readonly postgres: number;
  readonly redis: number;
  readonly apiBalancer: number;
  readonly gatewayBalancer: number;
  readonly prometheus: number;
  readonly alertmanager: number;
  /** Ports of each replaceable service by name, in start order. */
  readonly services: ReadonlyMap<string, Ports>;
}

/** Chooses free ports for a fleet. */
export async function choosePorts(): Promise<FleetPorts> {
  const names = [...GATEWAYS, ...APIS, ...RELAYERS];
  const free = await findFreePorts(9 + 2 * names.length);
  const next = () => free.pop() ?? 0;
  return {
    ethereum: next(),
    node: { port: next(), metricsPort: next() },
    postgres: next(),
    redis: next(),
    apiBalancer: next(),
    gatewayBalancer: next(),
    prometheus: next(),
    alertmanager: next(),
    services: new Map(names.map((name) => [name, { port: next(), metricsPort: next() }])),
  };
}

/** Holds each port until all are found, so that no two are the same. */
async function findFreePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map(async (server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(async (server) => once(server.close(), 'close')));
  return ports;
}
