import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { timeoutIn } from "../../../.config/limits.ts";
import { installServers } from "../../oracle/mysql/install-servers.ts";
import { writeServerImage } from "../../oracle/mysql/server-image.ts";
import { type NodeProject, prepareNodeProject } from "../../oracle/real/node/node-project.ts";
import { eventually } from "../../support/eventually.ts";

// The MySQL template on a real node: its pods run real servers, and a pod writes to them whatever happens. The tests depend on
// each other.

const prepared = prepareNodeProject("the MySQL template on a real node");
const servers = prepared.missing ?? installServers();
const missing = typeof servers === "string" ? servers : undefined;
if (missing !== undefined) console.log(`left out: the MySQL template on a real node: ${missing}`);
const image = "db-operator:v1";
const mysql = "mysqls.data.example.com/db";
const size = 3;
let project: NodeProject;

beforeAll(async () => {
  if (typeof servers === "string") return;
  project = await prepared.start("db-operator");
  await project.create("init", "--domain", "example.com");
  const api = ["--group", "data", "--version", "v1", "--kind", "MySQL", "--template", "mysql"];
  await project.create("create", "api", ...api);
  const archive = join(project.node.folder, "mysql.tar");
  writeServerImage(servers, "docker.io/library/mysql:9.7", archive);
  await project.node.load(archive);
  await project.tsbuilder("build", "--image", image, "--load", "kind");
});

afterAll(() => project?.node.stop());

test.skipIf(missing !== undefined)(
  "the operator starts three servers, and a pod writes to them",
  async () => {
    const { stderr } = await project.tsbuilder("deploy", "--image", image, "--wait");
    expect(stderr).toContain("The operator is available.");
    await apply(database("db", { size, backup: { size: "1Gi" } }));
    await project.kubectl(`wait ${mysql} --for=condition=Ready --timeout=${timeoutIn.build}`);
    await apply(writer);
    await untilServing();
  },
);

test.skipIf(missing !== undefined)("another server becomes the primary", async () => {
  await patch({ primary: 1 });
  await untilServing(1);
  expect((await ask(0, "SELECT @@read_only")).trim()).toBe("1");
});

test.skipIf(missing !== undefined)("a primary that was killed goes on", async () => {
  const before = await restartsOf("db-1");
  await project.inside.run("sh", "-c", killServer(1));
  await eventually(async () => expect(await restartsOf("db-1")).toBe(before + 1));
  await untilServing(1);
});

test.skipIf(missing !== undefined)("a primary whose pod was deleted goes on in the next one", async () => {
  const before = await uidOf("pod/db-1");
  await project.kubectl("delete pod db-1");
  await eventually(async () => expect((await status()).primaryPod).not.toBe(before));
  await untilServing(1);
});

test.skipIf(missing !== undefined)(
  "a replica that lost its volume becomes a copy of the primary",
  async () => {
    const claim = "persistentvolumeclaim/data-db-0";
    const before = await uidOf(claim);
    await project.kubectl(`delete ${claim} pod/db-0`);
    await eventually(async () => expect(await uidOf(claim)).not.toBe(before));
    await project.kubectl(`wait pod db-0 --for=condition=Ready --timeout=${timeoutIn.build}`);
    await untilServing(1);
  },
);

test.skipIf(missing !== undefined)(
  "a new password reaches clients late, whose former one is still valid",
  async () => {
    await project.kubectl("create secret generic given --from-literal=password=another-one");
    await patch({ passwordSecret: { name: "given" } });
    const published = "get secret db-credentials --output=jsonpath={.data.password}";
    const password = Buffer.from("another-one").toString("base64");
    await eventually(async () => expect(await project.kubectl(published)).toBe(password));
    const failures = (await written()).failed;
    const mounted = "exec writer -- cat /credentials/password";
    await eventually(async () => expect(await project.kubectl(mounted)).toBe("another-one"));
    await untilServing(1);
    expect((await written()).failed).toBe(failures);
  },
);

test.skipIf(missing !== undefined)(
  "a backup is made beside a view without its table, and another database starts from it",
  async () => {
    const broken = "CREATE VIEW app.broken AS SELECT id FROM app.gone";
    await ask(1, `CREATE TABLE app.gone (id INT); ${broken}; DROP TABLE app.gone; CREATE USER reader`);
    await patch({ backupSchedule: "0 0 1 1 *" });
    await eventually(() => project.kubectl("get cronjob db-backup"));
    const { rows } = await written();
    await project.kubectl("create job once --from=cronjob/db-backup");
    await untilBackedUp();
    await apply(database("copy", { restoreFrom: { name: "db" } }));
    await project.kubectl(
      `wait mysqls.data.example.com/copy --for=condition=Ready --timeout=${timeoutIn.build}`,
    );
    const found = new Set((await askOf("copy-0", "SELECT id FROM app.t")).split("\n"));
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter((row) => !found.has(row))).toEqual([]);
    expect((await askOf("copy-0", "SELECT user FROM mysql.user WHERE user = 'reader'")).trim()).toBe(
      "reader",
    );
    await untilServing(1);
  },
);

test.skipIf(missing !== undefined).each([
  ["an image that nobody has", { image: "mysql:nobody-has-it" }, "mysql:nobody-has-it"],
  ["a claim that no class serves", { storage: { className: "missing" } }, "events of data-stuck-0"],
  [
    "a node that is missing",
    { nodeSelector: { disk: "missing" } },
    "didn't match Pod's node affinity/selector",
  ],
  ["a Secret that is missing", { tls: { secretName: "missing" } }, '"missing"'],
])("the status names %s", async (_, spec, cause) => {
  await apply(database("stuck", spec));
  await eventually(async () => {
    const { conditions = [] } = await status("stuck");
    expect(conditions.find(({ type }) => type === "Ready")?.message).toContain(cause);
  });
  await project.kubectl(`delete mysqls.data.example.com/stuck --timeout=${timeoutIn.journey}`);
  await eventually(async () => {
    const own = "get pod,persistentvolumeclaim --selector=app.kubernetes.io/instance=stuck --output=name";
    expect(await project.kubectl(own)).toBe("");
  });
});

test.skipIf(missing !== undefined)(
  "no row that was acknowledged is lost, on none of the servers",
  async () => {
    await project.kubectl("exec writer -- touch /tmp/end");
    await project.kubectl("wait pod writer --for=jsonpath={.status.phase}=Succeeded");
    const { rows } = await written();
    console.log(`${rows.length} rows were acknowledged`);
    const executed = await ask(1, "SELECT @@gtid_executed");
    for (let ordinal = 0; ordinal < size; ordinal += 1) {
      await ask(ordinal, `SELECT WAIT_FOR_EXECUTED_GTID_SET('${executed.trim().replaceAll("\\n", "")}')`);
      const found = new Set((await ask(ordinal, "SELECT id FROM app.t")).split("\n"));
      expect(rows.filter((row) => !found.has(row))).toEqual([]);
    }
    const open = Array.from({ length: size }, (_, ordinal) => ask(ordinal, "SELECT @@read_only"));
    expect((await Promise.all(open)).map((answer) => answer.trim())).toEqual(["1", "0", "1"]);
  },
);

test.skipIf(missing !== undefined)("nothing is left", async () => {
  await project.kubectl("delete job once");
  await project.kubectl(
    `delete ${mysql} mysqls.data.example.com/copy pod/writer secret/given --timeout=${timeoutIn.journey}`,
  );
  // While its MySQL is there, the claim of backups is made again.
  await project.kubectl(`delete persistentvolumeclaim db-backup --timeout=${timeoutIn.journey}`);
  const kinds = "statefulset,cronjob,pod,service,persistentvolumeclaim,secret,poddisruptionbudget";
  const own = `get ${kinds} --selector=app.kubernetes.io/managed-by=db-operator --output=name`;
  await eventually(async () => expect(await project.kubectl(own)).toBe(""));
  await project.tsbuilder("undeploy");
  expect(await project.kubectl("get namespace db-operator-system --ignore-not-found")).toBe("");
});

/** Prints the number of each row that was acknowledged, and a dash for each that wasn't. What is mounted is told late, as by any kubelet. */
const writeRows = `ask() { mysql --no-defaults --host=db --user=app --password="$(cat /credentials/password)" --database=app --connect-timeout=5 --execute="$1" 2>/dev/null; }
until ask "CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY)"; do sleep 1; done
id=0
while [ ! -e /tmp/end ]; do
  id=$((id + 1))
  if ask "INSERT INTO t VALUES ($id)"; then echo $id; else echo -; sleep 0.2; fi
done`;

const writer = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "writer" },
  spec: {
    restartPolicy: "Never",
    terminationGracePeriodSeconds: 0,
    containers: [
      {
        name: "writer",
        image: "mysql:9.7",
        command: ["bash", "-c", writeRows],
        volumeMounts: [{ name: "credentials", mountPath: "/credentials" }],
      },
    ],
    volumes: [{ name: "credentials", secret: { secretName: "db-credentials" } }],
  },
};

function database(name: string, spec: object): object {
  return {
    apiVersion: "data.example.com/v1",
    kind: "MySQL",
    metadata: { name },
    spec: { deletionPolicy: "Delete", ...spec },
  };
}

async function apply(object: object): Promise<void> {
  const file = join(project.folder, "object.json");
  writeFileSync(file, JSON.stringify(object));
  await project.kubectl(`apply --filename ${file}`);
}

async function patch(spec: object): Promise<void> {
  await project.kubectl(`patch ${mysql} --type=merge --patch`, JSON.stringify({ spec }));
}

/** Waits until all is as it should be, and twenty more rows are acknowledged. */
async function untilServing(primary = 0): Promise<void> {
  const ready = await eventually(async () => {
    const { conditions = [], ...rest } = await status();
    const { message } = conditions.find(({ type }) => type === "Ready") ?? {};
    expect({ ...rest, message }).toMatchObject({ primary, readyReplicas: size, message: "" });
    return lastRow();
  });
  await eventually(async () => expect(await lastRow()).toBeGreaterThan(ready + 20));
}

/** Waits for the end of the job; if it fails, what its pods said is the error. */
async function untilBackedUp(): Promise<void> {
  const type = await eventually(async () => {
    const path = "jsonpath={.status.conditions[?(@.type!='SuccessCriteriaMet')].type}";
    return (await project.kubectl(`get job once --output=${path}`)) || false;
  });
  if (!type.includes("Complete"))
    throw new Error(await project.kubectl("logs --selector=job-name=once --prefix --tail=50"));
}

async function lastRow(): Promise<number> {
  return Number((await project.kubectl("logs writer --tail=30")).match(/\d+/g)?.at(-1) ?? 0);
}

async function written(): Promise<{ readonly rows: readonly string[]; readonly failed: number }> {
  const lines = (await project.kubectl("logs writer")).split("\n");
  const rows = lines.filter((line) => /^\d+$/.test(line));
  return { rows, failed: lines.filter((line) => line === "-").length };
}

interface Status {
  readonly primary?: number;
  readonly primaryPod?: string;
  readonly readyReplicas?: number;
  readonly conditions?: readonly { readonly type: string; readonly message: string }[];
}

async function status(name = "db"): Promise<Status> {
  const words = `get mysqls.data.example.com/${name} --output=jsonpath={.status}`;
  return JSON.parse((await project.kubectl(words)) || "{}") as Status;
}

function uidOf(object: string): Promise<string> {
  return project.kubectl(`get ${object} --output=jsonpath={.metadata.uid} --ignore-not-found`);
}

async function restartsOf(pod: string): Promise<number> {
  return Number(
    await project.kubectl(`get pod ${pod} --output=jsonpath={..containerStatuses[0].restartCount}`),
  );
}

function ask(ordinal: number, sql: string): Promise<string> {
  return askOf(`db-${ordinal}`, sql);
}

/** Asks a server as its root, who has no password and no way in but its socket. */
function askOf(pod: string, sql: string): Promise<string> {
  const words =
    "mysql --no-defaults --socket=/run/mysqld/mysqld.sock --user=root --skip-column-names --execute";
  return project.kubectl(`exec ${pod} --container=mysql -- ${words}`, sql);
}

/** A script for the sandbox, which has no other processes than its own. */
function killServer(ordinal: number): string {
  return `for process in /proc/[0-9]*; do
  if tr '\\0' ' ' < $process/cmdline | grep -q '^mysqld .*--report-host=${ordinal} '; then kill -9 \${process#/proc/}; fi
done`;
}
