import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { timeoutIn } from "../../.config/limits.ts";
import { eventually } from "../support/eventually.ts";
import { installPackages } from "../real/node/debian-packages.ts";
import { writeMariadbImage } from "../real/node/mariadb-image.ts";
import { type NodeProject, prepareNodeProject } from "../real/node/node-project.ts";

// The reference operator for databases, with real servers in real pods. The tests depend on each other.

const prepared = prepareNodeProject("the MySQL template on a real node");
const server = prepared.missing ?? installPackages({ mariadbd: "mariadb-server" });
if (server !== prepared.missing) console.log(`left out: the MySQL template on a real node: ${server}`);
const { start } = prepared;
let project: NodeProject;

beforeAll(async () => {
  if (server !== undefined) return;
  project = await start("mysql-operator");
  await project.create("init", "--domain", "example.com");
  const api = ["--group", "apps", "--version", "v1", "--kind", "MySQL", "--template", "mysql"];
  await project.create("create", "api", ...api);
  const archive = join(project.node.folder, "mariadb.tar");
  writeMariadbImage(archive, "docker.io/library/mariadb:10.11");
  await project.node.load(archive);
  const image = "mysql-operator:v1";
  await project.tsbuilder("build", "--image", image, "--load", "kind");
  await project.tsbuilder("deploy", "--image", image, "--wait");
});

afterAll(() => project?.node.stop());

test.skipIf(server !== undefined)(
  "the sample's servers become ready, and the replica follows over DNS",
  async () => {
    await project.kubectl("apply --kustomize config/samples");
    await becomesReady();
    await sql(0, "CREATE TABLE shop.t (id INT PRIMARY KEY); INSERT INTO shop.t VALUES (1), (2)");
    await eventually(async () => expect(await rows(1)).toBe("2\n"));
    expect(await sql(1, "SHOW SLAVE STATUS\\G")).toMatch(/Master_Host: mysql-sample-0\.mysql-sample\S*\n/);
  },
);

test.skipIf(server !== undefined)(
  "a killed primary comes back with its data, and the replica follows it",
  async () => {
    await project.kubectl("delete pod mysql-sample-0 --grace-period 0 --force");
    await becomesReady();
    await sql(0, "INSERT INTO shop.t VALUES (3)");
    await eventually(async () => expect(await rows(1)).toBe("3\n"));
  },
);

test.skipIf(server !== undefined)("a replica whose volume is lost is filled again", async () => {
  const volume = "get pvc --output=jsonpath={.items[*].metadata.name}";
  const claim = (await project.kubectl(volume)).split(" ").find((name) => name.endsWith("mysql-sample-1"));
  await project.kubectl(`delete pvc ${claim} --wait=false`);
  await project.kubectl("delete pod mysql-sample-1");
  await becomesReady();
  await eventually(async () => expect(await rows(1)).toBe("3\n"));
  await sql(0, "INSERT INTO shop.t VALUES (4)");
  await eventually(async () => expect(await rows(1)).toBe("4\n"));
});

async function becomesReady(): Promise<void> {
  await project.kubectl(`wait mysql/mysql-sample --for=condition=Ready --timeout=${timeoutIn.journey}`);
  await project.kubectl(`rollout status statefulset/mysql-sample --timeout=${timeoutIn.journey}`);
}

function sql(ordinal: number, statement: string): Promise<string> {
  const client = "mariadb --defaults-file=/etc/mysql-operator/root.cnf --socket=/run/mysqld/mysqld.sock";
  const words = `exec mysql-sample-${ordinal} -- ${client} --batch --skip-column-names --execute`;
  return project.kubectl(words, statement);
}

function rows(ordinal: number): Promise<string> {
  return sql(ordinal, "SELECT COUNT(*) FROM shop.t");
}
