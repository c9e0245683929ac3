import type { Stored } from "@tsbuilder/runtime";
import { Maria, type MariaSpec } from "../../golden/maria-operator/api/v1/maria_types.ts";
import { configSecretFor, serverFiles } from "../../golden/maria-operator/src/controller/maria_config.ts";
import type { Credentials } from "../../golden/maria-operator/src/controller/maria_passwords.ts";
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
export function mariaFiles(spec: MariaSpec = {}, current: Credentials = credentials): Record<string, string> {
  const maria = mariaOf(spec);
  const files = serverFiles(maria, { current, next: {}, former: {} });
  return filesIn(configSecretFor(maria, files, { primary: 0 }));
}

export function mariaOf(spec: MariaSpec, annotations: Record<string, string> = {}): Stored<Maria> {
  return {
    apiVersion: Maria.apiVersion,
    kind: Maria.kind,
    metadata: {
      name: "db",
      namespace: "default",
      annotations,
      uid: "1",
      resourceVersion: "1",
      creationTimestamp: "2026-01-01T00:00:00Z",
    },
    spec: { username: "app", database: "shop", ...spec, config: { ...config, ...spec.config } },
  };
}

/** The files of the config Secret but the one that changes in a switchover. */
export function filesIn({ data = {} }: Files): Record<string, string> {
  const files = Object.entries(data).filter(([name]) => name !== "primary");
  return Object.fromEntries(
    files.map(([name, value]) => [name, Buffer.from(value ?? "", "base64").toString("utf8")]),
  );
}

interface Files {
  readonly data?: Readonly<Record<string, string | undefined>> | undefined;
}
