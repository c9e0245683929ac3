/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { randomBytes } from "node:crypto";
import type { Desired, Stored } from "@tsbuilder/runtime";
import type { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import type { CronJob } from "@tsbuilder/runtime/k8s/batch/v1";
import type {
  Container,
  PersistentVolumeClaim,
  Pod,
  PodSecurityContext,
  Secret,
  Service,
  Volume,
} from "@tsbuilder/runtime/k8s/core/v1";
import type { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import type { Maria } from "../../api/v1/maria_types.ts";

/** The label of a pod that may be read from, and the one that takes writes. The operator sets them when it has looked. */
export const readsLabel = "data.example.com/reads";
export const writesLabel = "data.example.com/writes";

/** The volume with the servers' certificate. */
export const tlsVolume = "tls";

/** The user of the operator, of replication and of backups. */
export const operatorUser = "operator";
export const mysqlPort = 3306;

export function namesOf({ metadata: { name } }: Stored<Maria>) {
  return {
    operator: `${name}-operator`,
    credentials: `${name}-credentials`,
    writes: name,
    reads: `${name}-read`,
    headless: `${name}-headless`,
    servers: name,
    backup: `${name}-backup`,
    restore: `${name}-restore`,
  };
}

/** Labels of all objects of a MySQL; they never change, because selectors are immutable. */
export function labelsOf(
  { metadata }: Stored<Maria>,
  component = "server",
): Record<string, string> {
  return {
    "app.kubernetes.io/name": "maria",
    "app.kubernetes.io/instance": metadata.name,
    "app.kubernetes.io/component": component,
    "app.kubernetes.io/managed-by": "maria-operator",
  };
}

export function newPassword(): string {
  return randomBytes(24).toString("base64url");
}

/**
 * What every server executes when it starts, apart from replication: it creates the operator's user, and takes an id that no pod had
 * before. MySQL never replicates what was written under the server's own id, so data that was put back would stay incomplete.
 */
export function operatorSecretFor(mysql: Stored<Maria>, password: string): Desired<Secret> {
  const init = [
    "SET sql_log_bin = 0;",
    "SET GLOBAL server_id = CRC32(@@server_uuid);",
    `CREATE USER IF NOT EXISTS ${operatorUser}@'%' IDENTIFIED BY '${password}' REQUIRE SSL;`,
    `ALTER USER ${operatorUser}@'%' IDENTIFIED BY '${password}' REQUIRE SSL;`,
    `GRANT ALL ON *.* TO ${operatorUser}@'%' WITH GRANT OPTION;`,
  ];
  return {
    metadata: { labels: labelsOf(mysql, "operator") },
    type: "Opaque",
    immutable: true,
    stringData: { password, "init.sql": `${init.join("\n")}\n` },
  };
}

/** Returns the Secret that clients need. */
export function credentialsFor(mysql: Stored<Maria>, password: string): Desired<Secret> {
  const { username = "app", database = "app" } = mysql.spec;
  const host = `${namesOf(mysql).writes}.${mysql.metadata.namespace}.svc`;
  const uri = `mysql://${username}:${encodeURIComponent(password)}@${host}:${mysqlPort}/${database}`;
  return {
    metadata: { labels: labelsOf(mysql, "credentials") },
    type: "Opaque",
    stringData: { username, password, database, host, port: String(mysqlPort), uri },
  };
}

/** Names of single servers, which exist before they are ready. */
export function headlessServiceFor(mysql: Stored<Maria>): Desired<Service> {
  const labels = labelsOf(mysql);
  return {
    metadata: { labels },
    spec: { clusterIP: "None", publishNotReadyAddresses: true, selector: labels, ports: [port] },
  };
}

/** The Service of the pods with a label. */
export function serviceFor(mysql: Stored<Maria>, label: string): Desired<Service> {
  const labels = labelsOf(mysql);
  return {
    metadata: { labels },
    spec: { selector: { ...labels, [label]: "true" }, ports: [port] },
  };
}

const secretAnnotation = "data.example.com/operator-secret";
const tcpSocket = { port: "mysql" };
const port = { name: "mysql", port: mysqlPort, targetPort: "mysql", protocol: "TCP" as const };

/** Node drains evict at most one server at a time. */
export function disruptionBudgetFor(mysql: Stored<Maria>): Desired<PodDisruptionBudget> {
  const labels = labelsOf(mysql);
  return { metadata: { labels }, spec: { maxUnavailable: 1, selector: { matchLabels: labels } } };
}

/** The servers. The operator itself replaces pods of an older template, since it knows which can be missed. */
export function statefulSetFor(
  mysql: Stored<Maria>,
  replicas: number,
  operatorSecret: Stored<Secret>,
  existing: Stored<StatefulSet> | undefined,
): Desired<StatefulSet> {
  const { spec } = mysql;
  const labels = labelsOf(mysql);
  const names = namesOf(mysql);
  const selector = { labelSelector: { matchLabels: labels } };
  const apart = {
    weight: 100,
    podAffinityTerm: { topologyKey: "kubernetes.io/hostname", ...selector },
  };
  return {
    metadata: { labels },
    spec: {
      replicas,
      serviceName: names.headless,
      // A server that can't start keeps no other from starting.
      podManagementPolicy: "Parallel",
      updateStrategy: { type: "OnDelete" },
      persistentVolumeClaimRetentionPolicy: {
        whenDeleted: spec.deletionPolicy ?? "Retain",
        whenScaled: "Retain",
      },
      selector: { matchLabels: labels },
      template: {
        // Servers learn the operator's password when they start: another Secret is another template.
        metadata: { labels, annotations: { [secretAnnotation]: operatorSecret.metadata.uid } },
        spec: {
          ...podOf(mysql),
          terminationGracePeriodSeconds: 120,
          nodeSelector: spec.nodeSelector,
          tolerations: spec.tolerations,
          topologySpreadConstraints: spec.topologySpreadConstraints,
          affinity: {
            podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [apart] },
          },
          initContainers: [
            { ...containerOf(mysql, "init"), command: ["bash", "-ec", initializeScript] },
          ],
          containers: [
            {
              ...containerOf(mysql, "mysql"),
              command: ["mysqld", ...serverOptions(mysql, spec.settings)],
              ports: [{ name: "mysql", containerPort: mysqlPort, protocol: "TCP" }],
              // The first start may recover a log for half an hour.
              startupProbe: { tcpSocket, periodSeconds: 5, failureThreshold: 360 },
              livenessProbe: { tcpSocket, periodSeconds: 20, failureThreshold: 3 },
              readinessProbe: { tcpSocket, periodSeconds: 5 },
            },
          ],
        },
      },
      // Templates of claims are immutable, so those of an existing StatefulSet stay as they are.
      volumeClaimTemplates: existing?.spec?.volumeClaimTemplates ?? [dataClaimFor(mysql)],
    },
  };
}

/**
 * Makes an empty data directory, whole or not at all. Each pod gets a uuid of its own, so that a volume which was put back doesn't
 * give numbers of transactions a second time.
 */
const initializeScript = `cd /var/lib/mysql
if [ ! -d data ]; then
  rm -rf new
  mysqld --no-defaults --initialize-insecure --datadir=/var/lib/mysql/new
  mv new data
fi
rm -f data/auto.cnf
`;

/** A server starts locked, and follows nobody: the operator says what it is. */
function serverOptions(mysql: Stored<Maria>, settings: Record<string, string> = {}): string[] {
  const certificate = [
    "--ssl-ca=/etc/mysql-tls/ca.crt",
    "--ssl-cert=/etc/mysql-tls/tls.crt",
    "--ssl-key=/etc/mysql-tls/tls.key",
  ];
  return [
    "--no-defaults",
    "--datadir=/var/lib/mysql/data",
    ...(mysql.spec.tls ? certificate : []),
    "--report-host=$(ORDINAL)",
    "--init-file=/etc/mysql-operator/init.sql",
    "--super-read-only=ON",
    "--skip-replica-start=ON",
    "--gtid-mode=ON",
    "--enforce-gtid-consistency=ON",
    "--relay-log-recovery=ON",
    "--log-bin=binlog",
    "--relay-log=relay",
    "--binlog-expire-logs-seconds=259200",
    "--plugin-load-add=mysql_clone.so",
    "--secure-file-priv=NULL",
    "--skip-name-resolve=ON",
    "--socket=/run/mysqld/mysqld.sock",
    "--pid-file=/run/mysqld/mysqld.pid",
    "--mysqlx=OFF",
    ...Object.entries(settings).map(([name, value]) => `--${name.replaceAll("_", "-")}=${value}`),
  ];
}

function dataClaimFor(mysql: Stored<Maria>): Desired<PersistentVolumeClaim> {
  const { size = "5Gi", className } = mysql.spec.storage ?? {};
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", labels: labelsOf(mysql) },
    spec: claimOf(size, className),
  };
}

function claimOf(storage: string | number, storageClassName: string | undefined) {
  return {
    accessModes: ["ReadWriteOnce" as const],
    storageClassName,
    resources: { requests: { storage } },
  };
}

/** The backup volume. It has no owner: it outlives its MySQL. */
export function backupClaimFor(mysql: Stored<Maria>): Desired<PersistentVolumeClaim> {
  const { namespace } = mysql.metadata;
  return {
    metadata: { namespace, name: namesOf(mysql).backup, labels: labelsOf(mysql, "backup") },
    spec: claimOf(mysql.spec.backup?.size ?? "20Gi", mysql.spec.storage?.className),
  };
}

/** Clones a server that may be read from, sees whether a server starts with the copy, and deletes the oldest copies. */
export function backupCronJobFor(mysql: Stored<Maria>, schedule: string): Desired<CronJob> {
  const { backupPath = "/backups", backup } = mysql.spec;
  const names = namesOf(mysql);
  const labels = labelsOf(mysql, "backup");
  const values = {
    FROM: `${names.reads}.${mysql.metadata.namespace}.svc`,
    KEEP: `${backup?.keep ?? 7}`,
  };
  const container = {
    ...containerOf(mysql, "backup", { ...values, BACKUPS: backupPath }),
    command: ["bash", "-ec", backupScript],
  };
  return {
    metadata: { labels },
    spec: {
      schedule,
      concurrencyPolicy: "Forbid",
      startingDeadlineSeconds: 600,
      jobTemplate: {
        metadata: { labels },
        spec: {
          backoffLimit: 1,
          activeDeadlineSeconds: backupHours * 3600,
          template: {
            metadata: { labels },
            spec: {
              restartPolicy: "Never",
              ...withBackups(mysql, container, names.backup, backupPath),
            },
          },
        },
      },
    },
  };
}

/** A backup that takes longer fails. */
const backupHours = 6;

/** Backups on demand may run beside one of the schedule. The newest one is found by its name, so the clock must not have been set back. */
const backupScript = `cd "$BACKUPS"
new="$PWD/new-$HOSTNAME"
trap 'rm -rf "$new"' EXIT
agent=(mysqld --no-defaults --socket=/run/mysqld/agent.sock --skip-networking --mysqlx=OFF --secure-file-priv=NULL)
start() { "\${agent[@]}" "$@" & until mysqladmin --no-defaults --socket=/run/mysqld/agent.sock ping; do kill -0 $!; sleep 1; done; }
find . -maxdepth 1 -name 'new-*' -mmin +${backupHours * 60} -exec rm -rf {} +
rm -rf "$new" /var/lib/mysql/agent
"\${agent[@]}" --initialize-insecure --datadir=/var/lib/mysql/agent
start --datadir=/var/lib/mysql/agent --plugin-load-add=mysql_clone.so
mysql --no-defaults --socket=/run/mysqld/agent.sock --user=root <<SQL
SET GLOBAL clone_valid_donor_list = '$FROM:${mysqlPort}';
CLONE INSTANCE FROM ${operatorUser}@'$FROM':${mysqlPort} IDENTIFIED BY '$(cat /etc/mysql-operator/password)' DATA DIRECTORY = '$new' REQUIRE SSL;
SQL
kill $!; wait $!
start --datadir="$new" --super-read-only=ON --skip-replica-start=ON
kill $!; wait $!
name=$(date -u +%Y-%m-%dT%H-%M-%SZ)
newest=$(ls | grep -E '^[0-9]{4}-' | sort | tail -n 1)
if [[ ! "$name" > "$newest" ]]; then echo "the clock says $name, but there is $newest"; exit 1; fi
mv -T "$new" "$name"
ls | grep -E '^[0-9]{4}-' | sort | head -n "-$KEEP" | xargs -r rm -rf
`;

/** A server with the data of a backup, from which the first primary is seeded. */
export function restorePodFor(mysql: Stored<Maria>): Desired<Pod> | undefined {
  const { restoreFrom, backupPath = "/backups" } = mysql.spec;
  if (!restoreFrom) return undefined;
  const { name, backup = "" } = restoreFrom;
  const options = serverOptions(mysql)
    .map((option) => `'${option}'`)
    .join(" ");
  const script = `backup=\${BACKUP:-$(ls "$BACKUPS" | grep -E '^[0-9]{4}-' | sort | tail -n 1)}
rm -rf /var/lib/mysql/data
cp -r "$BACKUPS/$backup" /var/lib/mysql/data
rm -f /var/lib/mysql/data/auto.cnf
exec mysqld ${options}
`;
  const container = {
    ...containerOf(mysql, "restore", { BACKUP: backup, BACKUPS: backupPath, ORDINAL: "9" }),
    command: ["bash", "-ec", script],
    ports: [{ name: "mysql", containerPort: mysqlPort, protocol: "TCP" as const }],
  };
  return {
    metadata: { labels: labelsOf(mysql, "restore") },
    spec: {
      restartPolicy: "OnFailure",
      ...withBackups(mysql, container, `${name}-backup`, backupPath),
    },
  };
}

function withBackups(
  mysql: Stored<Maria>,
  container: Container,
  claimName: string,
  mountPath: string,
) {
  const { volumes, ...pod } = podOf(mysql);
  const mount = { name: "backups", mountPath };
  return {
    ...pod,
    containers: [{ ...container, volumeMounts: [...container.volumeMounts!, mount] }],
    volumes: [
      ...volumes,
      { name: "data", emptyDir: {} },
      { name: "backups", persistentVolumeClaim: { claimName } },
    ] satisfies Volume[],
  };
}

/** The user `mysql` of MySQL's images. */
const userId = 999;

function podOf(mysql: Stored<Maria>) {
  const { tls } = mysql.spec;
  const certificate: Volume[] = tls
    ? [{ name: tlsVolume, secret: { secretName: tls.secretName, defaultMode: 0o440 } }]
    : [];
  return {
    imagePullSecrets: mysql.spec.imagePullSecrets,
    automountServiceAccountToken: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: userId,
      runAsGroup: userId,
      fsGroup: userId,
      fsGroupChangePolicy: "OnRootMismatch",
      seccompProfile: { type: "RuntimeDefault" },
    } satisfies PodSecurityContext,
    volumes: [
      { name: "operator", secret: { secretName: namesOf(mysql).operator, defaultMode: 0o440 } },
      { name: "run", emptyDir: {} },
      { name: "tmp", emptyDir: {} },
      ...certificate,
    ] satisfies Volume[],
  };
}

function containerOf(
  mysql: Stored<Maria>,
  name: string,
  values: Record<string, string> = {},
): Container {
  const index = "metadata.labels['apps.kubernetes.io/pod-index']";
  const ordinal = { name: "ORDINAL", valueFrom: { fieldRef: { fieldPath: index } } };
  const given = Object.entries(values).map(([key, value]) => ({ name: key, value }));
  return {
    name,
    image: mysql.spec.image ?? "mysql:9.7",
    resources: mysql.spec.resources,
    env: "BACKUPS" in values ? given : [ordinal],
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      readOnlyRootFilesystem: true,
    },
    volumeMounts: [
      { name: "data", mountPath: "/var/lib/mysql" },
      { name: "operator", mountPath: "/etc/mysql-operator", readOnly: true },
      { name: "run", mountPath: "/run/mysqld" },
      { name: "tmp", mountPath: "/tmp" },
      ...(mysql.spec.tls ? [{ name: tlsVolume, mountPath: "/etc/mysql-tls", readOnly: true }] : []),
    ],
  };
}
