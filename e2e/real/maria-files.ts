import { Maria, type MariaSpec } from "../golden/maria-operator/api/v1/maria_types.ts";
import { configSecretFor, serverFiles } from "../golden/maria-operator/src/controller/maria_config.ts";
import type { Credentials } from "../golden/maria-operator/src/controller/maria_credentials.ts";
import { appPassword } from "./database-servers.ts";

export const credentials: Credentials = {
  app: appPassword,
  root: "root-password",
  replication: "repl'ication\\",
  backup: "backup-password",
  probe: "probe-password",
};

/** Small servers, reachable only on this machine. */
const config = { innodb_buffer_pool_size: "32M", bind_address: "127.0.0.1" };

/** The files of the config Secret, as the kubelet would write them. */
export function mariaFiles(
  spec: MariaSpec = {},
  passwords: Credentials = credentials,
): Record<string, string> {
  const maria = {
    apiVersion: Maria.apiVersion,
    kind: Maria.kind,
    metadata: { name: "db", namespace: "default" },
    spec: { username: "app", database: "shop", ...spec, config: { ...config, ...spec.config } },
  };
  const { primary: _, ...data } = configSecretFor(maria, serverFiles(maria, passwords), 0).data ?? {};
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name,
      Buffer.from(String(value), "base64").toString("utf8"),
    ]),
  );
}
