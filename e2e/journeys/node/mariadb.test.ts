import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { timeoutIn } from "../../../.config/limits.ts";
import { eventually } from "../../support/eventually.ts";
import { installPackages } from "../../oracle/real/node/debian-packages.ts";
import { writeMariadbImage } from "../../oracle/real/node/mariadb-image.ts";
import { type NodeProject, prepareNodeProject } from "../../oracle/real/node/node-project.ts";

// The reference operator for databases, with real servers in real pods on two nodes. The tests depend on each other: each one adds a
// row, and finds the rows of all before.

const what = "the MySQL template on a real node";
const prepared = prepareNodeProject(what);
const missing = prepared.missing ?? installPackages({ mariadbd: "mariadb-server" });
if (missing !== prepared.missing) console.log(`left out: ${what}: ${missing}`);
const images = ["docker.io/library/mariadb:10.11", "docker.io/library/mariadb:10.11.99"] as const;
const mysql = "mysqls.apps.example.com/mysql-sample";
let project: NodeProject;
let written = 0;

beforeAll(async () => {
  if (missing !== undefined) return;
  project = await prepared.start("mysql-operator", { nodes: 2 });
  await project.create("init", "--domain", "example.com");
  const api = ["--group", "apps", "--version", "v1", "--kind", "MySQL", "--template", "mysql"];
  await project.create("create", "api", ...api);
  const archive = join(project.node.folder, "mariadb.tar");
  writeMariadbImage(archive, ...images);
  await project.node.load(archive);
  await project.tsbuilder("build", "--image", "mysql-operator:v1", "--load", "kind");
  await project.tsbuilder("deploy", "--image", "mysql-operator:v1", "--wait");
});

afterAll(() => project?.node.stop());

test.skipIf(missing !== undefined)("the sample's replica follows its primary over DNS", async () => {
  await project.kubectl("apply --kustomize config/samples");
  await areReady(2);
  await sql(0, "CREATE TABLE shop.t (id INT PRIMARY KEY)");
  await insert(0);
  await eventually(async () => expect(await counts(0, 1)).toEqual([written]));
  expect(await sql(1, "SHOW SLAVE STATUS\\G")).toContain("mysql-sample-0.mysql-sample-headless.default.svc");
});

test.skipIf(missing !== undefined)("clients log in at the Service with what the Secret says", async () => {
  expect(await logIn("mysql-sample", await passwordOf("mysql-sample-credentials", "app"))).toBe("1\n");
});

test.skipIf(missing !== undefined)("kubectl scale adds a copy of the primary", async () => {
  await project.kubectl(`scale ${mysql} --replicas 3`);
  await areReady(3);
  await insert(0);
  await eventually(async () => expect(await counts(0, 1, 2)).toEqual([written]));
});

test.skipIf(missing !== undefined)("a primary whose pod is killed comes back with its data", async () => {
  const uid = await uidOf("mysql-sample-0");
  await project.kubectl("delete pod mysql-sample-0 --grace-period 0 --force");
  await isReplaced("mysql-sample-0", uid);
  await areReady(3);
  await insert(0);
  await eventually(async () => expect(await counts(0, 1, 2)).toEqual([written]));
});

test.skipIf(missing !== undefined)("a replica whose volume is lost becomes a copy again", async () => {
  await loseVolume(1);
  await areReady(3);
  await insert(0);
  await eventually(async () => expect(await counts(0, 1, 2)).toEqual([written]));
});

test.skipIf(missing !== undefined)("a backup is restored into another MySQL", async () => {
  await project.kubectl("create job --from=cronjob/mysql-sample-backup on-demand");
  await project.kubectl(`wait job/on-demand --for=condition=Complete --timeout=${timeoutIn.journey}`);
  const copy = {
    apiVersion: "apps.example.com/v1",
    kind: "MySQL",
    metadata: { name: "copy" },
    spec: { database: "shop", restoreFrom: { name: "mysql-sample" } },
  };
  await project.inside.run("sh", "-c", `echo '${JSON.stringify(copy)}' | kubectl apply --filename -`);
  const restored = "wait mysqls.apps.example.com/copy --for=condition=Restored";
  await project.kubectl(`${restored} --timeout=${timeoutIn.journey}`);
  expect(await logIn("copy", await passwordOf("copy-credentials", "app"))).toBe(`${written}\n`);
  await project.kubectl("delete mysqls.apps.example.com/copy");
});

test.skipIf(missing !== undefined)("a switchover makes another server the primary", async () => {
  await patch({ primary: 1 });
  await eventually(async () => expect(await statusOf("primary")).toBe("mysql-sample-1"));
  await areReady(3);
  await insert(1);
  await eventually(async () => expect(await counts(1, 0, 2)).toEqual([written]));
});

test.skipIf(missing !== undefined)("a rotation refuses no login, and restarts no server", async () => {
  const former = await passwordOf("mysql-sample-credentials", "app");
  const before = await Promise.all(pods.map(uidOf));
  await project.kubectl("create secret generic chosen --from-literal=password=chosen");
  await patch({ passwordSecretRef: { name: "chosen" } });
  await eventually(async () => {
    const current = await passwordOf("mysql-sample-credentials", "app");
    for (const password of [former, current]) {
      expect(await logIn("mysql-sample", password)).toBe(`${written}\n`);
    }
    expect(current).toBe("chosen");
  });
  expect(await Promise.all(pods.map(uidOf))).toEqual(before);
  await insert(1);
  await eventually(async () => expect(await counts(1, 0, 2)).toEqual([written]));
});

const pods = ["mysql-sample-0", "mysql-sample-1", "mysql-sample-2"];

test.skipIf(missing !== undefined)("an upgrade replaces all servers, and keeps the data", async () => {
  await patch({ image: images[1] });
  const running =
    "get pods --selector app.kubernetes.io/instance=mysql-sample,app.kubernetes.io/component=server";
  const image = `${running} --output=jsonpath={.items[*].spec.containers[0].image}`;
  await eventually(async () => expect(await project.kubectl(image)).toBe(Array(3).fill(images[1]).join(" ")));
  await areReady(3);
  await insert(1);
  await eventually(async () => expect(await counts(1, 0, 2)).toEqual([written]));
});

test.skipIf(missing !== undefined)(
  "the servers of a drained node move to another one with their data",
  async () => {
    const drained = await nodeOf("mysql-sample-1");
    // The budget lets one server go at a time, so the drain ends only if each one comes back elsewhere.
    const options = `--ignore-daemonsets --delete-emptydir-data --force --timeout=${timeoutIn.journey}`;
    await project.kubectl(`drain ${drained} ${options}`);
    await areReady(3);
    expect(await Promise.all(pods.map(nodeOf))).not.toContain(drained);
    await project.kubectl(`uncordon ${drained}`);
    await insert(1);
    await eventually(async () => expect(await counts(1, 0, 2)).toEqual([written]));
  },
);

test.skipIf(missing !== undefined)(
  "a primary whose volume is lost is replaced by a word of the user's",
  async () => {
    await loseVolume(1);
    await eventually(async () => expect(await conditions()).toContain("PrimaryDataLost"));
    await patch({ primary: 0 });
    await eventually(async () => expect(await conditions()).toContain("would be lost"));
    await project.kubectl(`annotate ${mysql} apps.example.com/allow-loss=yes`);
    await eventually(async () => expect(await statusOf("primary")).toBe("mysql-sample-0"));
    await project.kubectl(`annotate ${mysql} apps.example.com/allow-loss-`);
    await areReady(3);
    await insert(0);
    await eventually(async () => expect(await counts(0, 1, 2)).toEqual([written]));
  },
);

test.skipIf(missing !== undefined)("a deleted MySQL leaves its data", async () => {
  await project.kubectl("delete --kustomize config/samples");
  await eventually(async () => expect(await project.kubectl("get pods --output=name")).toBe(""));
  const claims = await project.kubectl("get pvc --output=name");
  expect(claims).toMatch(/mysql-sample-0\n.*mysql-sample-1\n.*mysql-sample-2\n/s);
});

/** All servers run, and the operator says so. It may not have seen yet that a pod is gone, so the pods are asked, too. */
async function areReady(size: number): Promise<void> {
  const pods = Array.from({ length: size }, (_, ordinal) => `pod/mysql-sample-${ordinal}`).join(" ");
  const states = [
    `${mysql} --for=jsonpath={.status.readyReplicas}=${size}`,
    `${pods} --for=condition=Ready`,
    `${mysql} --for=condition=Progressing=False`,
    `${mysql} --for=condition=Degraded=False`,
    `${mysql} --for=condition=Available`,
  ];
  for (const state of states) await project.kubectl(`wait ${state} --timeout=${timeoutIn.journey}`);
}

async function insert(primary: number): Promise<void> {
  written += 1;
  await sql(primary, `INSERT INTO shop.t VALUES (${written})`);
}

/** The different numbers of rows that servers have. */
async function counts(...ordinals: readonly number[]): Promise<number[]> {
  const rows = await Promise.all(ordinals.map((ordinal) => sql(ordinal, "SELECT COUNT(*) FROM shop.t")));
  return [...new Set(rows.map(Number))];
}

async function loseVolume(ordinal: number): Promise<void> {
  const uid = await uidOf(`mysql-sample-${ordinal}`);
  await project.kubectl(`delete pvc data-mysql-sample-${ordinal} --wait=false`);
  await project.kubectl(`delete pod mysql-sample-${ordinal}`);
  await isReplaced(`mysql-sample-${ordinal}`, uid);
}

async function isReplaced(pod: string, uid: string): Promise<void> {
  await eventually(async () => expect(["", uid]).not.toContain(await uidOf(pod)));
}

async function uidOf(pod: string): Promise<string> {
  return project.kubectl(`get pod ${pod} --ignore-not-found --output=jsonpath={.metadata.uid}`);
}

function nodeOf(pod: string): Promise<string> {
  return project.kubectl(`get pod ${pod} --output=jsonpath={.spec.nodeName}`);
}

function sql(ordinal: number, statement: string): Promise<string> {
  const client = "mariadb --defaults-file=/etc/mysql-operator/root.cnf --socket=/run/mysqld/mysqld.sock";
  const words = `exec mysql-sample-${ordinal} -- ${client} --batch --skip-column-names --execute`;
  return project.kubectl(words, statement);
}

/** Counts the rows as the application's user at a Service; prints why it can't. */
async function logIn(service: string, password: string): Promise<string> {
  const client = `mariadb --no-defaults --host=${service} --user=app --password=${password} --connect-timeout=5`;
  const words = `exec mysql-sample-0 -- ${client} --batch --skip-column-names --execute`.split(" ");
  const { stdout, stderr } = await project.inside.tryRun("kubectl", ...words, "SELECT COUNT(*) FROM shop.t");
  return stdout || stderr;
}

async function passwordOf(secret: string, key: string): Promise<string> {
  const value = await project.kubectl(`get secret ${secret} --output=jsonpath={.data.${key}}`);
  return Buffer.from(value, "base64").toString();
}

function statusOf(field: string): Promise<string> {
  return project.kubectl(`get ${mysql} --output=jsonpath={.status.${field}}`);
}

function conditions(): Promise<string> {
  return statusOf("conditions");
}

async function patch(spec: object): Promise<void> {
  await project.kubectl(`patch ${mysql} --type=merge --patch`, JSON.stringify({ spec }));
}
