/** The fields of a ServiceMonitor that are read here. */
export interface ServiceMonitor {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: {
    readonly endpoints: readonly {
      readonly path: string;
      readonly port: string;
      readonly scheme: string;
      readonly relabelings: readonly { readonly targetLabel: string; readonly replacement: string }[];
      readonly tlsConfig: { readonly insecureSkipVerify: boolean; readonly serverName?: string };
    }[];
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  };
}

/** The fields of an EndpointSlice that are read here; it has the labels of its Service. */
export interface EndpointSlice {
  readonly metadata: {
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly endpoints:
    | readonly { readonly addresses: readonly string[]; readonly targetRef?: { readonly name: string } }[]
    | null;
  readonly ports: readonly { readonly name: string; readonly port: number }[] | null;
}

/** The files of the one who scrapes. */
export interface ScrapeFiles {
  readonly targets: string;
  readonly token: string;
  /** The authority that the monitor's `tlsConfig` names. */
  readonly ca: string;
}

/** The job that Prometheus' operator makes of a ServiceMonitor's first endpoint, with a shorter interval. */
export function scrapeConfig(
  { metadata, spec }: ServiceMonitor,
  { targets, token, ca }: ScrapeFiles,
): object {
  const { path, scheme, tlsConfig, relabelings } = spec.endpoints[0]!;
  const { insecureSkipVerify, serverName = "" } = tlsConfig;
  return {
    job_name: `serviceMonitor/${metadata.namespace}/${metadata.name}/0`,
    scrape_interval: "2s",
    scrape_timeout: "2s",
    metrics_path: path,
    scheme,
    authorization: { credentials_file: token },
    tls_config: { insecure_skip_verify: insecureSkipVerify, server_name: serverName, ca_file: ca },
    relabel_configs: relabelings.map(({ targetLabel: target_label, replacement }) => ({
      target_label,
      replacement,
    })),
    file_sd_configs: [{ files: [targets] }],
  };
}

/** The pods that the ServiceMonitor selects. Debian's Prometheus can't look for them: it has no part for Kubernetes. */
export function scrapeTargets({ spec }: ServiceMonitor, slices: readonly EndpointSlice[]): object[] {
  const wanted = Object.entries(spec.selector.matchLabels);
  return slices
    .filter(({ metadata }) => wanted.every(([name, value]) => metadata.labels[name] === value))
    .flatMap(({ metadata, endpoints, ports }) => {
      const port = ports?.find(({ name }) => name === spec.endpoints[0]!.port)?.port;
      const service = metadata.labels["kubernetes.io/service-name"];
      return (endpoints ?? []).map(({ addresses, targetRef }) => ({
        targets: [`${addresses[0]}:${port}`],
        labels: { job: service, namespace: metadata.namespace, pod: targetRef?.name, service },
      }));
    });
}
