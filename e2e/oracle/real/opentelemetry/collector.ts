import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { closeSync, cpSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "../../../support/eventually.ts";
import { ownPort } from "../../../support/own-port.ts";
import { watchLog } from "../../../support/watched-process.ts";
import { endingWithUs } from "../control-plane.ts";

/** The release of OpenTelemetry's collector that `collector/go.mod` names. */
const version = "0.148.0";

/** Returns the collector's program, which is built in the cache from its Go modules; or why there is none. */
export function findCollector(): { readonly program: string } | { readonly missing: string } {
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const folder = join(cache, "tsbuilder", "otelcol", version);
  const program = join(folder, "otelcol");
  if (existsSync(program)) return { program };
  mkdirSync(folder, { recursive: true });
  cpSync(fileURLToPath(new URL("collector", import.meta.url)), folder, { recursive: true });
  const built = spawnSync("go", ["build", "-o", program, "."], { cwd: folder, encoding: "utf8" });
  if (built.status === 0) return { program };
  return { missing: built.error ? "no Go to build OpenTelemetry's collector with" : built.stderr.trim() };
}

/** A span as the collector writes it: OTLP's JSON. */
export interface WrittenSpan {
  /** The name of the program that made it. */
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly links: readonly { readonly spanId: string }[];
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface WrittenAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A collector that receives over gRPC, as kube-apiserver sends, and over HTTP, and writes files. */
export async function startCollector(program: string, folder: string) {
  const [grpc, http] = [await ownPort(), await ownPort()];
  const fileOf = (signal: string): string => join(folder, `${signal}.json`);
  const signals = ["traces", "metrics", "logs"];
  const config = {
    receivers: {
      otlp: {
        protocols: { grpc: { endpoint: `127.0.0.1:${grpc}` }, http: { endpoint: `127.0.0.1:${http}` } },
      },
    },
    exporters: Object.fromEntries(signals.map((name) => [`file/${name}`, { path: fileOf(name) }])),
    service: {
      // Its own metrics would be served on a port that another process may have.
      telemetry: { metrics: { level: "none" } },
      pipelines: Object.fromEntries(
        signals.map((name) => [name, { receivers: ["otlp"], exporters: [`file/${name}`] }]),
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
    /** Ends it: it writes what it has received first. */
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
      readonly scopeSpans: readonly {
        readonly spans: readonly (Omit<WrittenSpan, "attributes"> & {
          readonly attributes?: readonly WrittenAttribute[];
        })[];
      }[];
    }[];
  };
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        service: String(valuesOf(resource.attributes)["service.name"]),
        links: span.links ?? [],
        attributes: valuesOf(span.attributes ?? []),
      })),
    ),
  );
}

function valuesOf(attributes: readonly WrittenAttribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
