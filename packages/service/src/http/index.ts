export {
  refuseBrokenRequest,
  refuseOnSocket,
  type BrokenRequestHandler,
  type SocketRefusal,
} from './broken-requests.js';
export { ClientAddresses, type Client } from './client-ip.js';
export { Cors } from './cors.js';
export { onEnd, type EndCause } from './end-of-process.js';
export { createLog } from './log.js';
export { certificateOfFile, certificateOfOrigin, watchCertificates } from './monitoring/certificate-metrics.js';
export { watchDatabase } from './monitoring/database-metrics.js';
export {
  describePart,
  finishInTime,
  probe,
  reportHealth,
  type ComponentHealth,
  type HealthChecks,
  type HealthReport,
} from './monitoring/health.js';
export { serveMetrics, type MetricsServer } from './monitoring/metrics-server.js';
export { createClockGauge } from './monitoring/process-metrics.js';
export { connectRedis, RateLimiter, type RateLimits, type RateVerdict, type RateWindow } from './rate-limiter.js';
export { readBody } from './request-body.js';
export {
  metricsAddress,
  metricsVariables,
  publicServerVariables,
  readTracing,
  tracingVariables,
  trustedProxyHops,
  type TracingOptions,
} from './variables.js';
