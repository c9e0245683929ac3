import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../../../support/eventually.ts";
import { installPackages } from "./debian-packages.ts";
import { prepareGoPrograms } from "./go-programs.ts";
import type { InsideShell } from "./inside-shell.ts";
import type { RealNode } from "./start-node.ts";

/** A Prometheus in a node's sandbox. */
export interface Prometheus {
  /** The response of its HTTP API, such as to `/api/v1/targets`. */
  readonly ask: (path: string, parameters?: Readonly<Record<string, string>>) => Promise<unknown>;
}

/** Installs it unless it is there, and finds the definition of ServiceMonitors; or says why that can't be done. */
export function preparePrometheus(): { readonly monitors: string } | { readonly missing: string } {
  const missing = installPackages({ prometheus: "prometheus" });
  if (missing !== undefined) return { missing };
  const module = "github.com/prometheus-operator/prometheus-operator";
  const operator = prepareGoPrograms({ module, version: "v0.85.0", programs: [] });
  if ("missing" in operator) return operator;
  const folder = join(operator.sources, "example/prometheus-operator-crd");
  return { monitors: join(folder, "monitoring.coreos.com_servicemonitors.yaml") };
}

/** Starts it beside the kubelet, where pods are reached. */
export async function startPrometheus(
  node: RealNode,
  inside: InsideShell,
  scrapeConfig: object,
): Promise<Prometheus> {
  const address = "127.0.0.1:9090";
  const file = join(node.folder, "prometheus.yml");
  // Its YAML reader takes JSON.
  writeFileSync(file, JSON.stringify({ scrape_configs: [scrapeConfig] }));
  const { watched } = node.start("prometheus", [
    "prometheus",
    `--config.file=${file}`,
    `--storage.tsdb.path=${join(node.folder, "prometheus")}`,
    `--web.listen-address=${address}`,
  ]);
  const ask: Prometheus["ask"] = async (path, parameters = {}) => {
    const query = new URLSearchParams(parameters);
    const { stdout } = await inside.run(
      "curl",
      "--silent",
      "--fail",
      `http://${address}${path}?${query.toString()}`,
    );
    return (JSON.parse(stdout) as { data: unknown }).data;
  };
  await eventually(() => ask("/api/v1/status/buildinfo"), watched);
  return { ask };
}
