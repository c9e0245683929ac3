import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { findChromium } from "../../../src/book/build/check-book.ts";
import { readPageAssets } from "../../../src/cli/commands/develop/page-assets.ts";
import { fileRecord } from "../../../src/dev/record/read-recording.ts";
import { startPage } from "../../../src/dev/page/page-server.ts";

// The page of dev with a record of 8 hours of samples, 10,000 objects, 100,000 changes and 10,000 calls of webhooks: until it is painted, until all
// is read, how long the browser is busy for a frame meanwhile, and while somebody scrolls and moves in time.

const objects = 10_000;
const changes = 100_000;
/** One each second, before the changes: memory, queue and blocks differ each time. */
const samples = 8 * 3600;
const found = findChromium();
if ("missing" in found) {
  console.log(`left out: the page in a browser: ${found.missing}`);
  process.exit();
}
const folder = mkdtempSync(join(tmpdir(), "tsbuilder-page-bench-"));
const file = join(folder, "session.jsonl");
writeFileSync(file, lines());
const page = await startPage({ assets: readPageAssets(), record: fileRecord(file) });
const browser = await chromium.launch({ executablePath: found.program, args: ["--no-sandbox"] });
try {
  const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const started = performance.now();
  await tab.goto(page.url);
  const paint = await tab.evaluate<number>(
    "new Promise((resolve) => new PerformanceObserver((list) => resolve(list.getEntries()[0].startTime)).observe({ type: 'paint', buffered: true }))",
  );
  console.log(`first paint after ${Math.round(paint)} ms`);
  await tab.evaluate(
    "window.longest = 0; new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration); }).observe({ type: 'longtask', buffered: true })",
  );
  await tab.locator(".state", { hasText: "recorded" }).waitFor({ timeout: 120_000 });
  console.log(
    `${samples} samples and ${changes} changes of ${objects} objects read after ${Math.round(performance.now() - started)} ms, busy for up to ${Math.round(await tab.evaluate<number>("window.longest"))} ms`,
  );
  await tab.waitForSelector(".kinds tbody tr");
  console.log(
    `scrolling the first view: ${await frames("document.querySelector('.story').scrollTop += 60")}`,
  );
  await tab.getByRole("button", { name: /^Objects$/u }).click();
  await tab.waitForSelector("[role=treeitem]");
  console.log(`scrolling the objects: ${await frames("document.querySelector('.rows').scrollTop += 300")}`);
  console.log(`moving in time: ${await frames("document.querySelector('.moment-bar button').click()")}`);
  await tab.getByRole("button", { name: /^Reconciles$/u }).click();
  await tab.waitForSelector(".lane");
  console.log(
    `scrolling the reconciles: ${await frames("document.querySelector('.rows').scrollTop += 300")}`,
  );
  await tab.getByRole("button", { name: /^Log$/u }).click();
  await tab.waitForSelector(".printed");
  console.log(`scrolling the log: ${await frames("document.querySelector('.rows').scrollTop -= 300")}`);

  /** The time between frames while something is done in each. */
  async function frames(action: string): Promise<string> {
    const times = await tab.evaluate<number[]>(`new Promise((resolve) => {
      const times = [];
      let last;
      const next = (now) => {
        if (last !== undefined) times.push(now - last);
        last = now;
        if (times.length === 60) return resolve(times);
        ${action};
        requestAnimationFrame(next);
      };
      requestAnimationFrame(next);
    })`);
    const sorted = times.toSorted((a, b) => a - b);
    return `median ${sorted[30]!.toFixed(1)} ms between frames, the longest ${sorted.at(-1)!.toFixed(1)} ms`;
  }
} finally {
  await browser.close();
  await page.stop();
  rmSync(folder, { recursive: true });
}

function lines(): string {
  const at = (index: number): string => new Date(1_800_000_000_000 + index * 10).toISOString();
  const began = -samples * 100;
  const all: object[] = [{ type: "session", format: 1, at: at(began), project: "bench", tsbuilder: "0.1.0" }];
  for (let second = 0; second < samples; second++) {
    const now = at(began + second * 100);
    const memory = 50_000_000 + second * 997;
    all.push({
      type: "sample",
      at: now,
      since: at(began),
      controllers: [{ controller: "shop", queued: second % 100, active: 1, workers: 1 }],
      cached: { "Shop.bench.dev": 1000 },
      cachedBytes: 1_000_000,
      blocked: second % 20 === 0 ? 210 + (second % 90) : 0,
      ...(second % 20 === 0 && { blockedUntil: now }),
      resident: 2 * memory,
      heap: memory,
      heapKept: memory,
    });
  }
  for (let index = 0; index < changes; index++) {
    const number = index % objects;
    const name = `object-${number}`;
    const owner = number % 10 === 0 ? undefined : `uid-${number - (number % 10)}`;
    const kind = owner === undefined ? "Shop" : "ConfigMap";
    all.push({
      type: "write",
      at: at(index),
      write: index < objects ? "ADDED" : "MODIFIED",
      resource: owner === undefined ? "shops.bench.dev" : "configmaps",
      key: `default/${name}`,
      by: { user: "system:serviceaccount:bench-system:controller-manager" },
      object: {
        apiVersion: owner === undefined ? "bench.dev/v1" : "v1",
        kind,
        metadata: {
          namespace: "default",
          name,
          uid: `uid-${number}`,
          ...(owner && {
            ownerReferences: [{ uid: owner, controller: true, name: `object-${number - (number % 10)}` }],
          }),
        },
        data: { round: String(Math.floor(index / objects)) },
      },
    });
    if (index % 10 !== 0) continue;
    const request = `default/object-${number}`;
    const reconcileID = `id-${index}`;
    const reconcile = {
      controller: "shop",
      request,
      reconcileID,
      causes: [`update of Shop ${request}`],
      requests: [],
    };
    all.push({
      type: "webhook",
      at: at(index),
      seconds: 0.002,
      call: "mutating",
      uid: reconcileID,
      configuration: "bench",
      webhook: "mshop.bench.dev",
      resource: "shops.bench.dev",
      operation: "UPDATE",
      subresource: "",
      key: request,
      dryRun: false,
      failurePolicy: "Fail",
      ignored: false,
      object: { apiVersion: "bench.dev/v1", kind: "Shop", metadata: { namespace: "default", name } },
      answer: { allowed: true, patch: [{ op: "add", path: "/data", value: { round: "1" } }] },
    });
    all.push({ type: "reconcile", at: at(index), ...reconcile, outcome: "done", seconds: 0.005 });
    all.push({
      type: "operator",
      at: at(index),
      text: JSON.stringify({ level: "info", msg: "Reconciled", reconcileID }),
    });
  }
  return all.map((line) => `${JSON.stringify(line)}\n`).join("");
}
