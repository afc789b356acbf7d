// The configuration of Debian's programs for one run. Everything listens on 127.0.0.1.

/** Identical servers behind one port of the load balancer. */
export interface Pool {
  readonly name: string;
  readonly port: number;
  readonly servers: readonly { readonly name: string; readonly port: number }[];
}

/** Milliseconds between health checks of a server. */
const CHECK_MS = 300;
/** Milliseconds until the load balancer uses a server that has become ready. */
export const BALANCER_NOTICE_MS = 2 * CHECK_MS;

/** HAProxy checks each server's readiness, and retries a request that no server has accepted. */
export function balancerConfiguration(pools: readonly Pool[]): string {
  const parts = pools.map(({ name, port, servers }) => {
    const lines = servers.map(
      (server) => `  server ${server.name} 127.0.0.1:${server.port} check inter ${CHECK_MS}ms fall 1 rise 1`,
    );
    return `listen ${name}
  bind 127.0.0.1:${port}
  balance leastconn
  option httpchk GET /health/ready
${lines.join('\n')}
`;
  });
  return `global
  maxconn 4000
defaults
  mode http
  timeout connect 2s
  timeout check 5s
  timeout client 75s
  timeout server 75s
  option forwardfor
  option redispatch 1
  retries 3
  retry-on conn-failure
${parts.join('')}`;
}

/** Prometheus with the alert rules. A service waits two seconds for its database; the scrape timeout is longer. */
export function prometheusConfiguration(
  rulesFile: string,
  alertmanagerPort: number,
  targets: readonly { readonly service: string; readonly metricsPort: number }[],
): string {
  const jobs = [...new Set(targets.map(({ service }) => service))].map((job) => {
    const its = targets.filter(({ service }) => service === job);
    const addresses = its.map(({ metricsPort }) => `"127.0.0.1:${metricsPort}"`);
    return `  - job_name: ${job}\n    static_configs:\n      - targets: [${addresses.join(', ')}]`;
  });
  return `global:
  scrape_interval: 3s
  scrape_timeout: 3s
  evaluation_interval: 1s
rule_files: ["${rulesFile}"]
alerting:
  alertmanagers:
    - static_configs:
        - targets: ["127.0.0.1:${alertmanagerPort}"]
scrape_configs:
${jobs.join('\n')}
`;
}

/** Alertmanager that keeps alerts for queries, and sends none. */
export const ALERTMANAGER_CONFIGURATION = `route:
  receiver: nowhere
  group_wait: 1s
receivers:
  - name: nowhere
`;
