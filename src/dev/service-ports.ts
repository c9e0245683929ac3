import type { ClusterOptions } from "@tsbuilder/cluster";
import { TsbuilderError } from "../shared/errors.ts";

type ServiceResolver = NonNullable<ClusterOptions["resolveService"]>;

/** NAMESPACE/NAME[:PORT]=LOCAL-PORT */
const notation = /^([a-z0-9-]+)\/([a-z0-9-]+)(?::(\d{1,5}))?=(\d{1,5})$/;

/** Reads which ports of this machine stand behind which Services, for webhooks that name a Service. */
export function parseServicePorts(written: readonly string[]): ServiceResolver {
  const ports = written.map((text) => {
    const [, namespace, name, port, local] = notation.exec(text) ?? [];
    if (Number(local) >= 1 && Number(local) <= 65_535)
      return { namespace, name, port: port && Number(port), local: Number(local) };
    throw new TsbuilderError(`${JSON.stringify(text)} does not say which port is behind a Service`, {
      code: "INVALID_ARGUMENT",
      hint: "write NAMESPACE/NAME[:PORT]=LOCAL-PORT, such as --service-ports shop-system/shop-webhook-service=9443",
    });
  });
  return (namespace, name, port) => {
    const found = ports.find(
      (one) =>
        one.namespace === namespace && one.name === name && (one.port === undefined || one.port === port),
    );
    return found && { host: "127.0.0.1", port: found.local };
  };
}
