import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "../eventually.ts";
import { ownPort } from "../own-port.ts";
import type { AlertRule } from "./prometheus.ts";
import { watchLog } from "../watched-process.ts";

/** A Prometheus on the loopback interface. */
export interface PrometheusServer {
  /** The names of the alerts that fire now. */
  readonly firing: () => Promise<readonly string[]>;
  /** The names of the alerts that have fired in the time until now. */
  readonly fired: (time: string) => Promise<readonly string[]>;
  /** The annotations of all alerts that fire or are about to. */
  readonly annotations: () => Promise<readonly string[]>;
  /** The values of a query. */
  readonly query: (query: string) => Promise<readonly number[]>;
  readonly stop: () => Promise<void>;
}

/** Starts one that scrapes operators called `shop` at these ports of the loopback interface, once a second. */
export async function startPrometheusServer(
  ports: readonly number[],
  rules: readonly AlertRule[],
): Promise<PrometheusServer> {
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-prometheus-"));
  const address = `127.0.0.1:${await ownPort()}`;
  const config = join(folder, "prometheus.yml");
  writeFileSync(join(folder, "rules.yml"), JSON.stringify({ groups: [{ name: "shop", rules }] }));
  // Its YAML reader takes JSON.
  writeFileSync(config, JSON.stringify(configuration(ports, join(folder, "rules.yml"))));
  const child = spawn(
    "prometheus",
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(folder, "data")}`,
      `--web.listen-address=${address}`,
      "--query.lookback-delta=5s",
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  const log = join(folder, "log");
  child.stderr.pipe(createWriteStream(log));
  const watched = watchLog("prometheus", child, () => readFileSync(log, "utf8"));
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`http://${address}${path}`);
    return ((await response.json()) as { data: unknown }).data;
  };
  const alerts = async () => ((await ask("/api/v1/alerts")) as { alerts: readonly Alert[] }).alerts;
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, "exit");
      child.kill();
      await exited;
    }
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await eventually(() => ask("/api/v1/status/buildinfo"), watched);
  } catch (error) {
    await stop();
    throw error;
  }
  const samplesOf = async (query: string) => {
    const asked = new URLSearchParams({ query });
    const { result } = (await ask(`/api/v1/query?${asked.toString()}`)) as { result: readonly Sample[] };
    return result;
  };
  return {
    firing: async () =>
      (await alerts()).filter(({ state }) => state === "firing").map(({ labels }) => labels["alertname"]!),
    annotations: async () => (await alerts()).flatMap(({ annotations }) => Object.values(annotations)),
    fired: async (time) =>
      (await samplesOf(`count_over_time(ALERTS{alertstate="firing"}[${time}])`)).map(
        ({ metric }) => metric["alertname"]!,
      ),
    query: async (query) => (await samplesOf(query)).map(({ value }) => Number(value[1])),
    stop,
  };
}

interface Alert {
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

function configuration(ports: readonly number[], rules: string): object {
  const targets = ports.map((port) => `127.0.0.1:${port}`);
  const often = { scrape_interval: "1s", scrape_timeout: "1s" };
  return {
    global: { ...often, evaluation_interval: "250ms" },
    rule_files: [rules],
    scrape_configs: [
      { job_name: "shop", static_configs: [{ targets, labels: { namespace: "shop-system" } }] },
    ],
  };
}
