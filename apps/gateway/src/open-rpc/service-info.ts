/** How the OpenRPC document introduces the service. */
export interface ServiceInfo {
  readonly title: string;
  /** Of the interface, as semantic version. */
  readonly version: string;
  /** Addresses the service has for the public, if they are known. */
  readonly urls?: readonly string[];
}
