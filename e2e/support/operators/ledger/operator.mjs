// An operator without a framework, in a process of its own: each Ledger has a ConfigMap of its pages and one of its index. The argument
// chooses a mistake: half, orphan, once, deaf, crash; without one it is right.

import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const mistake = process.argv[2];
const { clusters } = JSON.parse(readFileSync(process.env.KUBECONFIG, "utf8"));
const { server } = clusters[0].cluster;
const ledgersPath = "/apis/books.example.com/v1/ledgers";
const cache = { ledgers: new Map(), configmaps: new Map() };

async function send(method, path, body) {
  const headers = { "content-type": "application/json", "user-agent": "ledger" };
  const answer = await fetch(`${server}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok && answer.status !== 404) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return answer.ok ? JSON.parse(text) : undefined;
}

const keyOf = ({ metadata: { namespace, name } }) => `${namespace}/${name}`;

async function makeChild(ledger, part, data) {
  const { name, namespace, uid } = ledger.metadata;
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const known = cache.configmaps.get(`${namespace}/${name}-${part}`);
  const owner = { apiVersion: ledger.apiVersion, kind: "Ledger", name, uid, controller: true };
  const ownerReferences = mistake === "orphan" && part === "index" ? [] : [owner];
  const metadata = { name: `${name}-${part}`, namespace, ownerReferences };
  const child = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  if (!known) {
    await send("POST", path, child);
    return true;
  }
  if (known.metadata.ownerReferences?.[0]?.uid === uid && JSON.stringify(known.data) === JSON.stringify(data))
    return false;
  const { resourceVersion } = known.metadata;
  await send("PUT", `${path}/${name}-${part}`, { ...child, metadata: { ...metadata, resourceVersion } });
  return false;
}

async function reconcile(key) {
  const ledger = cache.ledgers.get(key);
  if (!ledger || ledger.metadata.deletionTimestamp) return;
  const { pages, title } = ledger.spec;
  const index = mistake === "crash" ? title.toUpperCase() : String(title);
  const isNew = await makeChild(ledger, "pages", { pages: String(pages) });
  if (mistake !== "half" || isNew) await makeChild(ledger, "index", { index });
}

const failures = new Map();
const due = new Set();

async function work() {
  for (;;) {
    const [key] = due;
    if (key === undefined) {
      await sleep(5);
      continue;
    }
    due.delete(key);
    try {
      await reconcile(key);
      failures.delete(key);
    } catch (error) {
      if (error instanceof TypeError && mistake === "crash") throw error;
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      if (mistake !== "once") setTimeout(() => due.add(key), Math.min(1000, 10 * 2 ** count));
    }
  }
}

async function follow(path, objects, owner) {
  for (;;) {
    try {
      const list = await send("GET", path);
      objects.clear();
      for (const object of list.items) {
        objects.set(keyOf(object), { apiVersion: list.apiVersion, ...object });
        due.add(owner(object));
      }
      const answer = await fetch(
        `${server}${path}?watch=true&resourceVersion=${list.metadata.resourceVersion}`,
      );
      let rest = "";
      for await (const chunk of answer.body) {
        const lines = (rest + Buffer.from(chunk)).split("\n");
        rest = lines.pop();
        for (const line of lines) {
          const { type, object } = JSON.parse(line);
          if (type === "ERROR") throw new Error(object.message);
          if (type === "DELETED") objects.delete(keyOf(object));
          else objects.set(keyOf(object), object);
          due.add(owner(object));
        }
      }
    } catch {
      await sleep(50);
    }
  }
}

const ownerOf = ({ metadata: { namespace, ownerReferences: [owner] = [] } }) => `${namespace}/${owner?.name}`;
void follow(ledgersPath, cache.ledgers, keyOf);
void follow("/api/v1/configmaps", cache.configmaps, mistake === "deaf" ? () => "" : ownerOf);
// What is missing in the cache would be made again.
await sleep(100);
await work();
