interface Sample {
  readonly apiVersion: string;
  readonly host?: string;
  readonly port?: string;
  readonly hostPort?: string;
}

/** Converts the suite's sample resource as its image does: v1 has `hostPort`, v2 `host` and `port`. */
export function convertSample(object: Sample, apiVersion: string): Sample {
  const { host, port, hostPort, ...rest } = { ...object, apiVersion };
  if (apiVersion.endsWith("/v1")) {
    const known = host !== undefined || port !== undefined;
    return { ...rest, ...(known && { hostPort: `${host ?? ""}:${port ?? ""}` }) };
  }
  const [before, after] = hostPort?.split(":") ?? [];
  return {
    ...rest,
    ...(before !== undefined && { host: before }),
    ...(after !== undefined && { port: after }),
  };
}
