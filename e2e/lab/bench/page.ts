import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { findChromium } from "../../book/check-book.ts";
import { readPageAssets } from "../../../src/cli/commands/develop/page-assets.ts";
import { fileRecord } from "../../../src/dev/record/read-recording.ts";
import { startPage } from "../../../src/dev/page/page-server.ts";

// The page of dev with a record of 8 hours of samples, 10,000 objects, 100,000 changes and 10,000 calls of webhooks: until it is painted, until all
// is read, how long the browser is busy for a frame meanwhile, and while somebody scrolls and moves in time.

const objects = 10_000;
const changes = 100_000;
/** One each second, before the changes: memory, queue and blocks differ each time. */
const samples = 8 * 3600;
/** The categories of a trace with the tasks of all threads, and the frames. */
const traced = ["disabled-by-default-devtools.timeline", "disabled-by-default-devtools.timeline.frame"];
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
    "processor time of the page for a frame, in ms: median, worst; frames over 16.7 ms of 60; time between frames",
  );
  const slider =
    "const bar = document.querySelector('.moment-bar input[type=range]'); bar.value = Number(bar.value) - 1000;";
  const moving = `${slider} bar.dispatchEvent(new Event('input', { bubbles: true }))`;
  const typing =
    "const box = document.querySelector('.filter input'); box.value = 'object-12345'.slice(0, index % 13); box.dispatchEvent(new Event('input', { bubbles: true }))";
  const views: readonly (readonly [view: RegExp, rows: string, scrolling: string])[] = [
    [/^Now/u, ".kinds tbody tr", "document.querySelector('.story').scrollTop = index * 60"],
    [/^Objects$/u, "[role=treeitem]", "document.querySelector('.rows').scrollTop = index * 300"],
    [/^Reconciles$/u, ".lane", "document.querySelector('.rows').scrollTop = index * 300"],
    [/^Log$/u, ".printed", "document.querySelector('.rows').scrollTop = index * 300"],
  ];
  for (const [view, rows, scrolling] of views) {
    await tab.getByRole("button", { name: view }).click();
    await tab.waitForSelector(rows);
    const name = view.source.replaceAll(/[\^$]/gu, "");
    console.log(`${name}, scrolling: ${await frames(scrolling)}`);
    console.log(`${name}, moving in time: ${await frames(moving)}`);
    await tab.getByRole("button", { name: "Back to now" }).click();
    console.log(`${name}, typing into the filter: ${await frames(typing)}`);
    await tab.getByRole("searchbox").fill("");
  }

  /** Does something in each frame, and measures by tracing: the load of others lengthens the time between frames, but not this. */
  async function frames(action: string): Promise<string> {
    await browser.startTracing(tab, { categories: traced });
    const between = await tab.evaluate<number[]>(`new Promise((resolve) => {
      const times = [];
      let [last, index] = [undefined, 0];
      const next = (now) => {
        if (last !== undefined) times.push(now - last);
        last = now;
        if (++index > 60) return resolve(times);
        { ${action}; }
        requestAnimationFrame(next);
      };
      requestAnimationFrame(next);
    })`);
    const trace = JSON.parse((await browser.stopTracing()).toString()) as {
      readonly traceEvents: readonly TraceEvent[];
    };
    const work = workOfFrames(trace.traceEvents);
    const middle = (list: readonly number[]): string => (list[Math.floor(list.length / 2)] ?? 0).toFixed(1);
    const over = work.filter((one) => one > 1000 / 60).length;
    return `${middle(work)}, ${(work.at(-1) ?? 0).toFixed(1)}; ${over} of ${work.length}; ${middle(between.toSorted((a, b) => a - b))}`;
  }
} finally {
  await browser.close();
  await page.stop();
  rmSync(folder, { recursive: true });
}

/** An event of a trace of Chromium; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  readonly ts: number;
  readonly dur?: number;
  /** The processor time of the thread in the event. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Returns the processor time of the page's main thread between the beginnings of its frames, in milliseconds, sorted. */
function workOfFrames(events: readonly TraceEvent[]): number[] {
  const beginnings = events.filter(({ name }) => name === "BeginMainThreadFrame");
  const [{ pid, tid } = { pid: 0, tid: 0 }] = beginnings;
  const starts = beginnings.map(({ ts }) => ts).sort((a, b) => a - b);
  const work = starts.map(() => 0);
  for (const event of events) {
    if (event.pid !== pid || event.tid !== tid || event.name !== "RunTask") continue;
    const frame = starts.findLastIndex((start) => start <= event.ts + (event.dur ?? 0));
    if (frame !== -1) work[frame]! += (event.tdur ?? 0) / 1000;
  }
  return work.sort((a, b) => a - b);
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
