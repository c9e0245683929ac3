import { connect } from "node:tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../testing/index.ts";
import { type OpenWatch, openWatch, type SeenEvent } from "../testing/testdata/open-watch.ts";
import { type ReceivedResponse, send } from "../testing/send.ts";

/** Many clients at once: the result must be the same as if they had run one by one. */
let cluster: TestCluster;
beforeEach(async () => {
  cluster = await startTestCluster({ controllers: ["namespace"] });
});
afterEach(() => cluster.stop());

const inDefault = "/api/v1/namespaces/default/configmaps";

interface ConfigMap {
  metadata: { name: string; resourceVersion: string; continue?: string; managedFields?: ManagedBy[] };
  data?: Record<string, string>;
}

interface ManagedBy {
  manager: string;
  fieldsV1: { "f:data"?: object };
}

interface List {
  metadata: { resourceVersion: string; continue?: string };
  items: ConfigMap[];
}

const call = (method: string, path: string, body?: unknown, headers = {}): Promise<ReceivedResponse> =>
  send(cluster.kubeconfig, { method, path, body, headers });

const times = <T>(count: number, run: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => run(index)));

/** Creates objects with as many parallel requests as client libraries use; a thousand connections are another test. */
async function createMany(count: number, path: string): Promise<void> {
  await times(20, async (client) => {
    for (let index = client; index < count; index += 20) {
      const metadata = { name: `c-${String(index).padStart(4, "0")}` };
      expect((await call("POST", path, { metadata })).code).toBe(201);
    }
  });
}

test("forty clients increment one counter, and no update is lost", async () => {
  await call("POST", inDefault, { metadata: { name: "counter" }, data: { count: "0" } });
  const accepted: string[] = [];
  await times(40, async () => {
    for (;;) {
      const { metadata, data } = (await call("GET", `${inDefault}/counter`)).body as ConfigMap;
      const next = { metadata, data: { count: String(Number(data!["count"]) + 1) } };
      const { code, body } = await call("PUT", `${inDefault}/counter`, next);
      if (code === 409) continue;
      expect(code).toBe(200);
      accepted.push((body as ConfigMap).metadata.resourceVersion);
      return;
    }
  });
  expect((await call("GET", `${inDefault}/counter`)).body).toMatchObject({ data: { count: "40" } });
  expect(new Set(accepted).size).toBe(40);
});

test("of a hundred clients that create the same name, one succeeds", async () => {
  const answers = await times(100, () => call("POST", inDefault, { metadata: { name: "only" } }));
  expect(answers.filter(({ code }) => code === 201)).toHaveLength(1);
  expect(answers.filter(({ code }) => code === 409)).toHaveLength(99);
});

test("a hundred watchers see every event, in order", async () => {
  const { metadata } = (await call("GET", inDefault)).body as List;
  const query = `watch=1&resourceVersion=${metadata.resourceVersion}`;
  const early = await times(50, () => openWatch(cluster.kubeconfig, `${inDefault}?${query}`));
  const late: OpenWatch[] = [];
  await times(20, async (client) => {
    const path = `${inDefault}/w-${client}`;
    await call("POST", inDefault, { metadata: { name: `w-${client}` } });
    if (client < 10) {
      late.push(...(await times(5, () => openWatch(cluster.kubeconfig, `${inDefault}?${query}`))));
    }
    for (let step = 0; step < 5; step++) {
      const headers = { "Content-Type": "application/merge-patch+json" };
      await call("PATCH", path, { data: { step: String(step) } }, headers);
    }
    await call("DELETE", path);
  });
  const watches = [...early, ...late];
  const expected = 20 * 7;
  for (const { events } of watches) await expect.poll(() => events.length).toBe(expected);
  const seen = watches.map(({ events }) => events.map(describe));
  for (const each of seen) expect(each).toEqual(seen[0]);
  const revisions = watches[0]!.events.map(revisionOf);
  expect(revisions).toEqual([...new Set(revisions)].toSorted((a, b) => a - b));
  for (const watch of watches) watch.close();
});

const revisionOf = ({ object }: SeenEvent): number => Number(object.metadata.resourceVersion);
const describe = ({ type, object }: SeenEvent): string =>
  `${type} ${object.metadata.name} ${object.metadata.resourceVersion}`;

test("all pages of a list show the same revision, whatever is written meanwhile", async () => {
  await createMany(300, inDefault);
  const reading = new AbortController();
  const churn = times(5, async (client) => {
    for (let step = 0; !reading.signal.aborted; step++) {
      const name = `c-${String((client * 61 + step * 7) % 300).padStart(4, "0")}`;
      await call("DELETE", `${inDefault}/${name}`);
      await call("POST", inDefault, { metadata: { name: `n-${client}-${step}` } });
    }
  });
  const pages: List[] = [];
  for (let token: string | undefined = ""; token !== undefined; token = pages.at(-1)!.metadata.continue) {
    pages.push((await call("GET", `${inDefault}?limit=25&continue=${token}`)).body as List);
  }
  const { resourceVersion } = pages[0]!.metadata;
  const exact = `resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`;
  const whole = (await call("GET", `${inDefault}?${exact}`)).body as List;
  reading.abort();
  await churn;
  const now = (await call("GET", inDefault)).body as List;
  expect(pages.length).toBeGreaterThan(10);
  expect(new Set(pages.map(({ metadata }) => metadata.resourceVersion))).toEqual(new Set([resourceVersion]));
  expect(pages.flatMap(({ items }) => items)).toEqual(whole.items);
  expect(now.items).not.toEqual(whole.items);
});

test("twenty managers apply to one object at once, and each keeps its own fields", async () => {
  const apply = (manager: string, data: object, query = "") =>
    call(
      "PATCH",
      `${inDefault}/shared?fieldManager=${manager}${query}`,
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shared" }, data },
      { "Content-Type": "application/apply-patch+yaml" },
    );
  const answers = await times(20, (index) => apply(`m-${index}`, { [`k-${index}`]: "1", all: "same" }));
  expect(answers.filter(({ code }) => code === 201)).toHaveLength(1);
  expect(answers.filter(({ code }) => code === 200)).toHaveLength(19);
  const { data, metadata } = (await call("GET", `${inDefault}/shared`)).body as ConfigMap;
  expect(Object.keys(data!)).toHaveLength(21);
  const owners = metadata.managedFields!.map(({ manager, fieldsV1 }) => [manager, fieldsV1["f:data"]]);
  expect(Object.fromEntries(owners)).toEqual(
    Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`m-${index}`, { "f:all": {}, [`f:k-${index}`]: {} }]),
    ),
  );

  const forced = await times(20, (index) => apply(`m-${index}`, { all: `of ${index}` }, "&force=true"));
  expect(forced.map(({ code }) => code)).toEqual(Array.from({ length: 20 }, () => 200));
  const last = (await call("GET", `${inDefault}/shared`)).body as ConfigMap;
  expect(last.metadata.managedFields).toHaveLength(1);
  const [winner] = last.metadata.managedFields!;
  expect(last.data).toEqual({ all: `of ${winner!.manager.slice("m-".length)}` });
});

test("a namespace with three thousand objects is deleted, and the server answers meanwhile", async () => {
  const inCrowd = "/api/v1/namespaces/crowd/configmaps";
  await call("POST", "/api/v1/namespaces", { metadata: { name: "crowd" } });
  await createMany(3000, inCrowd);
  const watch = await openWatch(cluster.kubeconfig, `${inCrowd}?watch=1&resourceVersion=0`);
  await expect.poll(() => watch.events.length).toBe(3000);
  await call("DELETE", "/api/v1/namespaces/crowd");
  let meanwhile = 0;
  while ((await call("GET", "/api/v1/namespaces/crowd")).code === 200) {
    const { code } = await call("POST", inDefault, { metadata: { generateName: "meanwhile-" } });
    expect(code).toBe(201);
    meanwhile++;
  }
  await expect.poll(() => watch.events.length).toBe(6000);
  const deleted = watch.events.filter(({ type }) => type === "DELETED");
  expect(new Set(deleted.map(({ object }) => object.metadata.name)).size).toBe(3000);
  expect(((await call("GET", inCrowd)).body as List).items).toEqual([]);
  expect(meanwhile).toBeGreaterThan(0);
  watch.close();
});

test("clients that begin a request and never finish it don't block others", async () => {
  const { port } = new URL(cluster.url);
  const sockets = await times(200, (index) => {
    const socket = connect({ host: "127.0.0.1", port: Number(port), rejectUnauthorized: false });
    socket.on("error", () => undefined);
    socket.write(
      index % 2 ? "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{" : "GET /",
    );
    return new Promise<typeof socket>((resolve) => socket.once("secureConnect", () => resolve(socket)));
  });
  expect((await call("POST", inDefault, { metadata: { name: "heard" } })).code).toBe(201);
  for (const socket of sockets) socket.destroy();
});
