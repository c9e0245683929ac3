import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "../../../support/eventually.ts";
import { ownPort } from "../../../support/own-port.ts";
import { watchLog } from "../../../support/watched-process.ts";
import { endingWithUs } from "../control-plane.ts";

const sources = fileURLToPath(new URL("collector", import.meta.url));

/**
 * Returns the program of OpenTelemetry's collector, or why there is none. `build` compiles it into the cache, under the
 * digest of its sources.
 */
export function findCollector({ build = true } = {}):
  | { readonly program: string }
  | { readonly missing: string } {
  const digest = createHash("sha256");
  for (const name of readdirSync(sources)) digest.update(readFileSync(join(sources, name)));
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const program = join(cache, "tsbuilder", "otelcol", digest.digest("hex").slice(0, 12), "otelcol");
  if (existsSync(program)) return { program };
  if (!build) return { missing: `no program "${program}": npm run lab -- control-plane makes it` };
  const words = ["build", "-mod=readonly", "-buildvcs=false", "-trimpath", "-o", program, "."];
  const built = spawnSync("go", words, { cwd: sources, encoding: "utf8" });
  if (built.status === 0) return { program };
  return { missing: built.error ? "no Go to build OpenTelemetry's collector with" : built.stderr.trim() };
}

/** A span of a trace, in whatever form it was read from. */
export interface TreeSpan {
  /** The name of the program that made it. */
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty, or undefined, for the root of a trace. */
  readonly parentSpanId: string | undefined;
}

/** A span as the collector writes it: OTLP's JSON. */
export interface WrittenSpan extends TreeSpan {
  readonly links: readonly { readonly spanId: string }[];
}

interface WrittenAttribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

/** A collector that receives over gRPC, as kube-apiserver sends, and over HTTP, writes files, and sends spans to Zipkin. */
export async function startCollector(program: string, folder: string, zipkin: string) {
  const [grpc, http] = [await ownPort(), await ownPort()];
  const fileOf = (signal: string): string => join(folder, `${signal}.json`);
  const signals = ["traces", "metrics", "logs"];
  const config = {
    receivers: {
      otlp: {
        protocols: { grpc: { endpoint: `127.0.0.1:${grpc}` }, http: { endpoint: `127.0.0.1:${http}` } },
      },
    },
    exporters: {
      ...Object.fromEntries(signals.map((name) => [`file/${name}`, { path: fileOf(name) }])),
      zipkin: { endpoint: zipkin },
    },
    service: {
      // Its own metrics would be served on a port that another process may have.
      telemetry: { metrics: { level: "none" } },
      pipelines: Object.fromEntries(
        signals.map((name) => {
          const exporters = [`file/${name}`, ...(name === "traces" ? ["zipkin"] : [])];
          return [name, { receivers: ["otlp"], exporters }];
        }),
      ),
    },
  };
  const [configFile, logFile] = [join(folder, "collector.json"), join(folder, "collector.log")];
  writeFileSync(configFile, JSON.stringify(config));
  const output = openSync(logFile, "a");
  const words = [...endingWithUs, program, `--config=${configFile}`];
  const child = spawn(words[0]!, words.slice(1), { stdio: ["ignore", output, output] });
  closeSync(output);
  const read = (): string => readFileSync(logFile, "utf8");
  await eventually(
    () => read().includes("Everything is ready"),
    watchLog("the collector", child, read),
    60_000,
  );
  const documents = (signal: string): unknown[] =>
    readFileSync(fileOf(signal), "utf8")
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as unknown);
  return {
    grpc: `127.0.0.1:${grpc}`,
    http: `http://127.0.0.1:${http}`,
    /** Ends it: it writes and sends what it has received first. */
    stop: () => end(child),
    spans: (): WrittenSpan[] => documents("traces").flatMap(spansOf),
    documents,
  };
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("exit", () => resolve());
    child.kill();
  });
}

function spansOf(document: unknown): WrittenSpan[] {
  const { resourceSpans } = document as {
    readonly resourceSpans: readonly {
      readonly resource: { readonly attributes: readonly WrittenAttribute[] };
      readonly scopeSpans: readonly { readonly spans: readonly Omit<WrittenSpan, "service">[] }[];
    }[];
  };
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const name = resource.attributes.find(({ key }) => key === "service.name");
    const service = name?.value.stringValue ?? "";
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, service, links: span.links ?? [] })),
    );
  });
}
