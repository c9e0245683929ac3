import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bookAddress } from "../shared/book-address.ts";
import { type FlagDefinition, managerFlags } from "./manager/manager-args.ts";

const folder = import.meta.dirname;
const readme = readFileSync(join(folder, "README.md"), "utf8");

/** The book's guides, one after the other. */
const guides = readdirSync(join(folder, "../book/guides"))
  .map((page) => readFileSync(join(folder, "../book/guides", page), "utf8"))
  .join("\n");

/** All sources but tests, by path. */
const sources = new Map(
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !/\.test(-d)?\.ts$|^(dist|node_modules|k8s)/.test(path))
    .map((path) => [path, readFileSync(join(folder, path), "utf8")]),
);

interface Option {
  readonly name: string;
  /** The default that its comment states. */
  readonly default: string | undefined;
}

/** The fields of an interface, from its source. */
function optionsOf(path: string, name: string): Option[] {
  const body = new RegExp(`export interface ${name}\\b[^{]*\\{\\n(.*?)\\n\\}`, "s").exec(
    sources.get(path) ?? "",
  )?.[1];
  const fields = (body ?? "").matchAll(/(?:\/\*\*((?:(?!\*\/).)*)\*\/\s*)?^  readonly (\w+)\??:/gms);
  return [...fields].map(([, comment = "", field]) => ({
    name: field!,
    default: /Default: (?:`([^`]+)`|(true|false|\d(?:[\d,]*\d)?))/
      .exec(comment)
      ?.slice(1)
      .find((text) => text),
  }));
}

/** The table rows whose first cell has a name. */
const rows = guides.split("\n").filter((line) => line.startsWith("| `"));
const rowsOf = (name: string): string[] => rows.filter((row) => row.split(" | ")[0]!.includes(`\`${name}\``));

test.for([
  ["manager/manager-options.ts", "ManagerOptions"],
  ["leader-election/lease-options.ts", "LeaderElectionOptions"],
  ["metrics/metrics-server.ts", "MetricsOptions"],
  ["webhook/webhook-server.ts", "WebhookServerOptions"],
  ["controller/controller-spec.ts", "ControllerOptions"],
  ["http/transport.ts", "TransportOptions"],
  ["client/client.ts", "ClientDefaults"],
  ["cache/cache.ts", "KindCacheOptions"],
  ["cache/cache.ts", "CacheOptions"],
] as const)(
  "the guides have a row for every option in %s: %s, with the default of its comment",
  ([path, name]) => {
    const options = optionsOf(path, name);
    expect(options.length).toBeGreaterThan(1);
    const missing = options.filter((option) => {
      const described = rowsOf(option.name).concat(rows.filter((row) => row.includes(`\`${option.name}.`)));
      return !described.some((row) => option.default === undefined || row.includes(option.default));
    });
    expect(missing).toEqual([]);
  },
);

test("the guides have every flag of Manager.fromArgs, with its default and environment variable", () => {
  const table = rows.filter((row) => row.startsWith("| `--"));
  const flags: [string, FlagDefinition][] = Object.entries(managerFlags);
  const missing = flags.filter(([name, flag]) => {
    const row = table.find((line) => line.includes(`\`--${name}\``)) ?? "";
    const words = [flag.default, flag.env, ...(flag.aliases ?? []).map((alias) => `--${alias}`)];
    return row === "" || !words.every((word) => word === undefined || row.includes(String(word)));
  });
  expect(missing.map(([name]) => name)).toEqual([]);
});

test("the names that the book maps Go's names to exist, and README.md links to them", () => {
  expect(readme).toContain(`(${bookAddress}from-go/names.html)`);
  const named = readFileSync(join(folder, "../book/from-go/names.md"), "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => [...line.split(" | ")[1]!.matchAll(/`([^`]+)`/g)])
    .flatMap(([, code]) => code!.replaceAll(/"[^"]*"/g, "").match(/[A-Za-z]\w{2,}/g) ?? []);
  expect(named.length).toBeGreaterThan(50);
  const code = [...sources.values()].join("\n");
  // These names belong to the embedded cluster and to the CLI.
  const elsewhere = new Set(["startTestCluster", "real"]);
  const names = [...new Set(named)].filter((name) => !elsewhere.has(name));
  const gone = names.filter((name) => !new RegExp(`\\b${name}\\b`).test(code));
  expect(gone).toEqual([]);
});
