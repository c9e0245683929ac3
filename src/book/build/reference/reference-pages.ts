// The pages of the reference that are made from the code, each with what it is made of: commands, markers, the PROJECT file,
// error codes, an operator's flags, metrics, alerts, environment variables, classes of failures. `api-pages.ts` adds those
// of our packages.

import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createCA } from "@tsbuilder/apimachinery/certs";
import { systemClock } from "@tsbuilder/apimachinery/time";
import { apiPages, readExports } from "./api-pages.ts";
import { type Page, anchorOf, code, codeBlock, prose, renderPage, table } from "./markdown.ts";
import { bookAddress } from "../../../shared/book-address.ts";
import { advice, bookPages } from "../../../simulation/explore/advice.ts";
import { sentence } from "../../../shared/text.ts";
import { explainedCodes, explainedSystemCodes } from "../../../cli/commands/explain.ts";
import { rules } from "../../../lifecycle/rules.ts";
import { features } from "../../../project/project.ts";
import { type ProjectKey, projectKeys } from "../../../project/keys.ts";
import { markerFamilies } from "../../../generators/markers/families/index.ts";
import { type MarkerHelp, markerHelp, usageOf } from "../../../generators/markers/help.ts";
import type { Command, FlagDefinition } from "../../../cli/arguments/command.ts";
import { commands } from "../../../cli/commands/index.ts";
import {
  environmentVariable,
  typedOnly,
  formatFlags,
  formatSummary,
  verboseFlag,
  verboseSummary,
} from "../../../cli/arguments/command-line.ts";
import { type FlagDefinition as OperatorFlag, managerFlags } from "../../../runtime/manager/manager-args.ts";
import { conditionMetrics } from "../../../runtime/metrics/condition-metrics.ts";
import { type MeasuredParts, RuntimeMetrics } from "../../../runtime/metrics/runtime-metrics.ts";
import { readYaml } from "../../../shared/read-yaml.ts";

/** Returns the pages that are made from the code: paths below `src/book`, each with its Markdown. */
export async function referencePages(symbols = readExports()): Promise<ReadonlyMap<string, string>> {
  const pages: Readonly<Record<string, Page>> = {
    commands: await commandsPage(),
    markers: markersPage(),
    "project-file": projectFilePage,
    errors: errorsPage,
    "operator-flags": operatorFlagsPage,
    metrics: metricsPage(),
    alerts: alertsPage(),
    environment: environmentPage,
    "simulation-classes": classesPage,
    "api-changes": apiChangesPage,
    ...apiPages(symbols),
  };
  return new Map(Object.entries(pages).map(([name, page]) => [`reference/${name}.md`, renderPage(page)]));
}

/** The section about flags, the environment and exit codes. */
const sharedByCommands: readonly string[] = [
  table(
    ["flag", "what it does"],
    [
      [code("-h, --help"), "Show help."],
      [
        code("-o, --output FORMAT"),
        `${sentence(prose(formatSummary))} The sections below name the exceptions.`,
      ],
      [code(verboseFlag), sentence(prose(verboseSummary))],
    ],
  ),
  `A flag that is omitted is read from the environment: ${code("--project-name")} from ${code(environmentVariable("project-name"))}. [Environment variables](environment.md) lists the exceptions.`,
  `A boolean flag takes ${code("--make=false")} and ${code("--no-make")}. A list is repeated (${code("--group a --group b")}) or separated by commas.`,
  table(
    ["exit code", "when"],
    [
      ["0", "The command did what it says."],
      ["1", "It failed, as the [error's code](errors.md) says, or it found what it checks for."],
      ["130", "A prompt was closed with Ctrl-C or Ctrl-D, or `scorecard` was stopped by a signal."],
      [
        "another",
        `${code("run")} and ${code("test")} end with the exit code of the operator and of the test runner.`,
      ],
    ],
  ),
];

/** Returns the page of all commands with arguments and flags, from the definitions that parse the command line. */
export async function commandsPage(): Promise<Page> {
  const entries = commands.map(async (entry) => ({ name: entry.name, command: await entry.load() }));
  const loaded = await Promise.all(entries);
  return {
    title: "Commands",
    order: 1,
    body: [
      `${code("tsbuilder COMMAND --help")} prints what this page says about a command. Without a command, ${code("tsbuilder")} lists them all.`,
      table(
        ["command", "what it does"],
        loaded.map(({ name, command }) => [`[${name}](#${anchorOf(name)})`, prose(command.summary)]),
      ),
      "## What all commands share",
      ...sharedByCommands,
      ...loaded.flatMap(({ name, command }) => describeCommand(name, command)),
    ],
  };
}

function describeCommand(name: string, command: Command): string[] {
  const { summary, description, examples = [], flags, positionals = [], takesRest } = command;
  const visibleFlags = Object.entries(flags).filter(([, { hidden }]) => hidden !== true);
  const usage = [
    "tsbuilder",
    name,
    ...positionals,
    ...(visibleFlags.length > 0 ? ["[flags]"] : []),
    ...(takesRest ? ["[-- arguments]"] : []),
  ].join(" ");
  return [
    `## ${name}`,
    sentence(prose(summary)),
    ...(description === undefined ? [] : [prose(description)]),
    `Usage: ${code(usage)}`,
    ...(visibleFlags.length === 0 ? [] : [flagsTable(visibleFlags)]),
    ...describeOutput(command),
    ...(examples.length === 0 ? [] : [codeBlock("console", examples.map((line) => `$ ${line}`).join("\n"))]),
    ...kubebuilderFlags(command),
  ];
}

function flagsTable(flags: readonly (readonly [string, FlagDefinition])[]): string {
  return table(
    ["flag", "default", "what it does"],
    flags.map(([flag, definition]) => [
      code(flagUsage(flag, definition)),
      defaultOf(definition),
      sentence(prose(definition.summary)) + choicesOf(definition),
    ]),
  );
}

/** Returns a flag as the usage shows it: `-o, --output FORMAT`. */
function flagUsage(flag: string, { type, short, placeholder = "VALUE" }: FlagDefinition): string {
  const value = { boolean: "", "optional-string": ` [${placeholder}]` }[type as string] ?? ` ${placeholder}`;
  return `${short === undefined ? "" : `-${short}, `}--${flag}${value}`;
}

function defaultOf({ required, default: value }: FlagDefinition): string {
  if (required) return "required";
  return value === undefined || value === false || value === "" ? "" : code(String(value));
}

const choicesOf = ({ choices = [] }: FlagDefinition): string =>
  choices.length === 0 ? "" : ` One of ${choices.map(code).join(", ")}.`;

/** Describes the report for programs, where it differs from the other commands. */
function describeOutput(command: Command): string[] {
  const formatFlagNames = formatFlags(command);
  if (command.streams && Object.hasOwn(command.flags, "output"))
    return ["It prints lines for programs while it runs, and no report in the end."];
  if (command.streams) return [`It has no report for programs: there is no ${code("--output json")}.`];
  if (formatFlagNames.length === 0)
    return [`It has no report for programs: its ${code("-o")} means something else.`];
  return formatFlagNames.includes("--output") ? [] : [`The report for programs is ${code("-o json")}.`];
}

/** Lists the flags of kubebuilder and operator-sdk that the command takes without effect, or refuses. */
function kubebuilderFlags({ ignored, ignoredBooleans, refused = {} }: Command): string[] {
  const rows = [
    ...Object.entries({ ...ignored, ...ignoredBooleans }).map(([flag, reason]) => [flag, "ignored", reason]),
    ...Object.entries(refused).map(([flag, instead]) => [flag, "an error", instead]),
  ].map(([flag, effect, reason]) => [code(`--${flag}`), effect!, sentence(prose(reason!))]);
  if (rows.length === 0) return [];
  return [
    "Flags of kubebuilder and operator-sdk that have no effect here:",
    table(["flag", "effect", "why, or what to use"], rows),
  ];
}

const markersFolder = join(import.meta.dirname, "../../../generators/markers");
const markersByName = new Map(markerHelp().map((marker) => [marker.name, marker]));

/** Returns the page of all markers, with the examples that are the tests of the generators. */
function markersPage(): Page {
  return {
    title: "Markers",
    order: 2,
    body: [
      `A marker is a comment that begins with ${code("+")}: it says what a TypeScript type can't. ${code("tsbuilder manifests --markers")} lists them, and ${code("tsbuilder manifests")} applies them. Each example below is a test of the generators.`,
      ...markerFamilies.flatMap(({ title }) => [`**[${title}](#${anchorOf(title)})**`, markersTable(title)]),
      ...markerFamilies.map(({ name }) => examplesSection(join(markersFolder, "families", `${name}.md`))),
      examplesSection(join(markersFolder, "jsdoc-tags.md")),
    ],
  };
}

function markersTable(family: string): string {
  return table(
    ["marker", "on", "what it does"],
    [...markersByName.values()]
      .filter((marker) => marker.family === family)
      .map(({ name, targets, summary }) => [
        `[${code(`+${name}`)}](#${anchorOf(name)})`,
        targets,
        prose(summary),
      ]),
  );
}

/** Converts a page of the generators' tests into a section: sources with their results, and rejected sources. */
function examplesSection(file: string): string {
  return readFileSync(file, "utf8")
    .replaceAll(/^(#+ )/gmu, "#$1")
    .replaceAll(
      /^### `\+(.+)`$/gmu,
      (heading, name: string) => `${heading}\n\n${describeMarker(markersByName.get(name)!)}`,
    )
    .replaceAll(/^```ts refused\n(.*?)^```\n\n```text\n(.*?)^```$/gmsu, rejectedExample)
    .replaceAll(/^(```yaml) \w+$/gmu, "$1")
    .trimEnd();
}

function rejectedExample(_: string, source: string, messages: string): string {
  const lines = messages.trimEnd().split("\n");
  return `Rejected:\n\n\`\`\`ts\n${source}\`\`\`\n\n${lines.map((line) => `- ${code(line)}`).join("\n")}`;
}

/** Describes the syntax of a marker. */
function describeMarker(marker: MarkerHelp): string {
  const { targets, forItems, arguments: args } = marker;
  const items = forItems ? `; with ${code("items:")} before its last part, for the elements of a list` : "";
  const namedArguments = args.filter(({ name }) => name !== "");
  return [
    `${code(usageOf(marker))} on ${targets}${items}.`,
    ...(namedArguments.length === 0 ? [] : [argumentsTable(namedArguments)]),
  ].join("\n\n");
}

function argumentsTable(args: MarkerHelp["arguments"]): string {
  return table(
    ["argument", "type", "what it says"],
    args.map(({ name, type, optional, summary }) => [
      code(name),
      `${type}${optional ? "" : ", required"}`,
      prose(summary),
    ]),
  );
}

/** The page of the keys of a PROJECT file, and of the features that it can name. */
const projectFilePage: Page = {
  title: "The PROJECT file",
  order: 3,
  body: [
    `${code("PROJECT")} says what the project consists of; all scaffolded files follow from it. The commands change it, and keep your own keys and comments. Keys that kubebuilder's file has, too, mean the same, but for ${code("path")}, which is a Go package there; the others are tsbuilder's own. A key without a value is absent.`,
    ...keySections(),
    "## Features",
    `${code("tsbuilder edit --enable")} adds features, ${code("--disable")} removes them. What a feature needs is named together with it: ${code("--enable metrics,prometheus")}.`,
    table(
      ["feature", "what it does", "needs", "excludes"],
      Object.entries(features).map(([name, feature]) => [
        code(name),
        sentence(prose(feature.summary)),
        codes("needs" in feature ? feature.needs : []),
        codes("excludes" in feature ? feature.excludes : []),
      ]),
    ),
  ],
};

/** Lists the keys of the PROJECT file in three sections: the project's, those of a kind, those of a plugin. */
function keySections(): string[] {
  const keys = Object.entries(projectKeys);
  const keysBelow = (parent: string) => keys.filter(([path]) => path.startsWith(parent));
  return [
    "## The project",
    keysTable(keys.filter(([path]) => !/[.[]/u.test(path))),
    "## Kinds",
    `The keys of an item of ${code("resources")}:`,
    keysTable(keysBelow("resources[]."), "resources[]."),
    "## Plugins",
    `The keys below ${code("plugins")}, where ${code("KEY")} is the plugin's key:`,
    keysTable(keysBelow("plugins."), "plugins."),
  ];
}

function keysTable(keys: readonly (readonly [string, ProjectKey])[], prefix = ""): string {
  return table(
    ["key", "type", "what it says", "set by"],
    keys.map(([path, { type, summary, setBy }]) => [
      code(path.slice(prefix.length)),
      type,
      prose(summary),
      setBy === undefined ? "" : codes(setBy.split(", ").map((command) => `tsbuilder ${command}`)),
    ]),
  );
}

/** The page of all error codes, with meaning and remedy, as `tsbuilder explain` prints them. */
const errorsPage: Page = {
  title: "Error codes",
  order: 4,
  body: [
    `A command that fails says what failed and what to do about it; ${code("--output json")} adds the error's code. ${code("tsbuilder explain CODE")} prints what this page says about one, without a network.`,
    ...Object.entries(explainedCodes)
      .filter(([name]) => !Object.hasOwn(explainedSystemCodes, name))
      .flatMap(([name, { meaning, remedy }]) => [`## ${name}`, prose(meaning), prose(remedy)]),
    "## Errors of the operating system",
    "These codes are the operating system's own. The message names the file, the program or the address.",
    table(
      ["code", "meaning", "what to do"],
      Object.entries(explainedSystemCodes).map(([name, { meaning, remedy }]) => [
        code(name),
        prose(meaning),
        prose(remedy),
      ]),
    ),
  ],
};

/** The page of the flags of an operator whose manager is made by `Manager.fromArgs`. */
const operatorFlagsPage: Page = {
  title: "Flags of an operator",
  order: 5,
  body: [
    `A scaffolded operator takes these flags, and those that its ${code("main.ts")} defines; ${code("--help")} prints them. Those that a kubebuilder project has, too, have the same names; the log is JSON at ${code("info")} here. Set them in ${code("config/manager/manager.yaml")}.`,
    table(
      ["flag", "default", "environment", "what it does"],
      Object.entries<OperatorFlag>(managerFlags).map(([name, definition]) => {
        const { type, default: value, env, aliases = [], description } = definition;
        const placeholder = { boolean: "", string: " VALUE", number: " NUMBER", duration: " DURATION" }[type];
        return [
          [name, ...aliases].map((flag) => code(`--${flag}${placeholder}`)).join(", "),
          value === undefined || value === false ? "" : code(String(value)),
          env === undefined ? "" : code(env),
          prose(description),
        ];
      }),
    ),
  ],
};

/** A metric as prom-client keeps it. */
interface Metric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

/** The sections of the page: the title, and the prefixes of the metrics. A metric is in the first section that fits. */
const metricGroups: readonly (readonly [title: string, ...prefixes: string[]])[] = [
  [
    "Webhooks",
    "controller_runtime_webhook",
    "controller_runtime_conversion",
    "tsbuilder_webhook",
    "certwatcher",
  ],
  ["Controllers", "controller_runtime", "tsbuilder_failing"],
  ["Queues", "workqueue"],
  ["The objects", "tsbuilder_object"],
  ["The cache", "tsbuilder_informer"],
  ["Requests to the API server", "rest_client"],
  ["Leader election and shards", "leader_election", "tsbuilder_shard"],
  ["The process", "tsbuilder", "process", "nodejs"],
];

/** Returns the page of all metrics of an operator, from the registry that is scraped. */
export function metricsPage(): Page {
  const metrics = operatorMetrics();
  const groupOf = ({ name }: Metric): string | undefined =>
    metricGroups.find(([, ...prefixes]) => prefixes.some((prefix) => name.startsWith(prefix)))?.[0];
  return {
    title: "Metrics",
    order: 6,
    body: [
      `An operator serves these metrics at ${code("/metrics")}. Names and labels are those of controller-runtime and client-go where these have one, so their dashboards and alerts work; ${code("tsbuilder_")} begins the names of those that Go doesn't have. A histogram has the series ${code("_bucket")}, ${code("_sum")} and ${code("_count")}.`,
      metricGroups.map(([title]) => `- [${title}](#${anchorOf(title)})`).join("\n"),
      ...metricGroups.flatMap(([title]) => [
        `## ${title}`,
        metricsTable(metrics.filter((metric) => groupOf(metric) === title)),
      ]),
    ],
  };
}

function metricsTable(metrics: readonly Metric[]): string {
  return table(
    ["metric", "type", "labels", "what it says"],
    metrics.map(({ name, type, labelNames, help }) => [
      code(name),
      type,
      labelNames.map(code).join(", "),
      prose(help),
    ]),
  );
}

/** Returns the metrics of an operator with webhooks and shards, in a container with a memory limit. */
export function operatorMetrics(): Metric[] {
  const parts = { sharing: { member: {}, gate: {} }, memory: { container: 1, heap: 1 }, clock: systemClock };
  const { webhooks, registry } = new RuntimeMetrics(parts as unknown as MeasuredParts);
  webhooks.certified(createCA({ commonName: "webhooks" }));
  const ofObjects = Object.entries(conditionMetrics).map(([name, rest]) => ({
    name,
    type: "gauge",
    ...rest,
  }));
  return [...(registry.getMetricsAsArray() as unknown as Metric[]), ...ofObjects].toSorted((a, b) =>
    a.name.localeCompare(b.name),
  );
}

/** Returns the page of all alerts that a project can have, from the templates that scaffold them. */
function alertsPage(): Page {
  const groups = alertGroups();
  return {
    title: "Alerts",
    order: 7,
    body: [
      `${code("tsbuilder edit --enable prometheus,alerts")} adds these to ${code("config/alerts")}, those of webhooks and shards only to a project that has them. They are yours to edit. ${code("PROJECT")} stands for the project's name.`,
      table(
        ["alert", "severity", "after", "what it says"],
        groups.flatMap(({ rules }) =>
          rules.map(({ alert, labels, for: duration = "", annotations }) => [
            `[${alert}](#${alert.toLowerCase()})`,
            labels.severity,
            duration,
            prose(annotations.summary),
          ]),
        ),
      ),
      ...groups.flatMap(({ rules }) => rules.flatMap(describeAlert)),
    ],
  };
}

/** A rule as Prometheus' operator reads it. */
interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook: string };
}

function describeAlert({ alert, expr, for: duration, annotations }: Rule): string[] {
  return [
    `## ${alert}`,
    prose(annotations.summary),
    prose(annotations.description),
    `**What to do:** ${prose(annotations.runbook)}`,
    codeBlock(
      "yaml",
      [
        `alert: ${alert}`,
        "expr: |-",
        ...expr.split("\n").map((line) => `  ${line}`),
        ...(duration === undefined ? [] : [`for: ${duration}`]),
      ].join("\n"),
    ),
  ];
}

interface PrometheusRule {
  readonly spec: { readonly groups: readonly { readonly name: string; readonly rules: readonly Rule[] }[] };
}

const templates = join(import.meta.dirname, "../../../../templates/kustomize/feature");

/** Reads the groups of all rules, the operator's first. */
export function alertGroups(): PrometheusRule["spec"]["groups"] {
  const features = readdirSync(templates).filter((name) => /^alerts(?:-|$)/u.test(name));
  return features.flatMap((feature) => {
    const folder = join(templates, feature, "config/alerts");
    const files = readdirSync(folder).filter((file) => !file.startsWith("kustomization"));
    return files.flatMap((file) => {
      const text = readFileSync(join(folder, file), "utf8")
        .replaceAll("{{projectName}}", "PROJECT")
        .replaceAll("\\{{", "{{");
      return (readYaml(file, text) as PrometheusRule[]).flatMap(({ spec }) => spec.groups);
    });
  });
}

/**
 * The environment variables that our code reads, or sets for a program of the user's, by reader, with what they do. The
 * variables of flags, `TSBUILDER_` and the flag's name, are left out.
 */
export const environmentVariables: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "the CLI": {
    BROWSER: "The program that opens the page of dev. Default: what the system opens addresses with.",
    TSBUILDER_EDITOR:
      "The editor in which the page of dev opens lines of your code, such as code. Default: VISUAL or EDITOR, if that has windows.",
    VISUAL: "The same, where TSBUILDER_EDITOR is not set.",
    EDITOR: "The same, where VISUAL is not set either.",
    TERM_PROGRAM: "vscode for the terminal of VS Code, in which dev opens lines if no editor is set.",
    TSBUILDER_ENVTEST_INDEX:
      "The URL of the index from which tsbuilder envtest install downloads, for a mirror.",
    KUBEBUILDER_ASSETS:
      "The folder of kube-apiserver and etcd for tsbuilder test --real. Default: the latest that envtest installed.",
    EXTERNAL_PLUGINS_PATH:
      "The folder of plugins that are programs. Default: kubebuilder/plugins in the configuration folder.",
    XDG_CONFIG_HOME: "The configuration folder. Default: ~/.config, on macOS ~/Library/Application Support.",
    XDG_DATA_HOME:
      "On Linux, where kubebuilder-envtest is, the folder of installed versions. Default: ~/.local/share.",
    LocalAppData: "The same on Windows.",
    XDG_STATE_HOME:
      "Where tsbuilder remembers, outside of projects, which plugins were allowed and which journals it wrote. Default: ~/.local/state.",
    XDG_CACHE_HOME: "Where tsbuilder keeps compiled code and what the generators found. Default: ~/.cache.",
    NODE_DISABLE_COMPILE_CACHE: "With any value, nothing is kept in that cache.",
    NODE_OPTIONS: "Node's options; tsbuilder test --explore adds its own before them.",
    NO_COLOR: "With any value, nothing is coloured.",
    PATH: "Where docker, kubectl, git and other programs are found; a project's node_modules/.bin is left out.",
    SystemRoot: "Where they are found on Windows if PATH names no such folder.",
    TERM: "With dumb, tsbuilder dev prints lines instead of a screen.",
    SHELL: "The shell that the screen of tsbuilder dev opens; ComSpec on Windows.",
    ComSpec: "The shell on Windows.",
  },
  "the operator": {
    KUBECONFIG:
      "The kubeconfig files to merge, as for kubectl. Default: the pod's service account, then ~/.kube/config. The CLI's commands for clusters use it, too.",
    KUBERNETES_SERVICE_HOST: "Kubernetes sets it in pods: the address of the API server.",
    KUBERNETES_SERVICE_PORT: "Kubernetes sets it in pods, too: the port.",
    WATCH_NAMESPACE: "The same as --watch-namespaces.",
    ENABLE_WEBHOOKS: "The same as --enable-webhooks: false serves none.",
    LOG_LEVEL: "The same as --log-level: debug, info, warn or error.",
    OTEL_EXPORTER_OTLP_ENDPOINT:
      "Where an OpenTelemetry collector receives OTLP over HTTP. Default: none, and no telemetry is sent. OpenTelemetry's SDK reads its other variables, such as OTEL_TRACES_SAMPLER.",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "The same for traces alone.",
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: "The same for metrics alone.",
    OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: "The same for logs alone.",
    OTEL_TRACES_EXPORTER: "With none, no traces are sent.",
    OTEL_METRICS_EXPORTER: "With none, no metrics are sent.",
    OTEL_LOGS_EXPORTER: "With none, no logs are sent.",
    OTEL_METRIC_EXPORT_INTERVAL: "Milliseconds between two exports of metrics. Default: 60000.",
    OTEL_SDK_DISABLED: "With true, nothing is sent.",
    HTTPS_PROXY:
      "The proxy to the API server, unless the kubeconfig names one, or the server is on this machine; also in lower case.",
    HTTP_PROXY: "The same for an API server whose address begins with http://.",
    NO_PROXY: "Hosts, domains and networks that need no proxy, separated by commas; also in lower case.",
    GOMODCACHE:
      "Where tsbuilder import finds the modules that a project in Go uses. Default: pkg/mod in the first folder of GOPATH, or in ~/go.",
    GOPATH: "The folders of Go, of which tsbuilder import looks into the first.",
    HOME: "Where ~/.kube/config is; for the CLI, its cache and plugins.",
  },
  tests: {
    TSBUILDER_TEST_ASSETS:
      "tsbuilder test --real sets it: startTestCluster() then starts the kube-apiserver and etcd of this folder.",
    TSBUILDER_KUBERNETES_VERSION:
      "The release of Kubernetes that embedded clusters serve, such as 1.37; tsbuilder test --kubernetes-version sets it. Default: 1.36.",
    TSBUILDER_CONTROLLERS:
      "The controllers of the kube-apiserver that envtest starts after tsbuilder envtest use: all, or names. Default: none.",
    TSBUILDER_NODE_PROGRAMS:
      "The folder with kubelet and kube-proxy, from which nodes of the embedded cluster run as programs of this machine.",
    TSBUILDER_NODE_IMAGE:
      "The image of nodes that are containers. Default: kind's for the cluster's version.",
    TSBUILDER_EXPLORE_TIME:
      "tsbuilder test --explore sets it: how long exploring tests run, such as 10m. Default: 5 s of processor time.",
    TSBUILDER_EXPLORE_SEED: "The first seed of exploring tests. Default: 1.",
    TSBUILDER_EXPLORE_FROM:
      "tsbuilder test --explore --from sets it: the release that exploring tests upgrade. Default: the last one's tag.",
    TSBUILDER_EXPLORE_SHARE:
      "tsbuilder test --explore sets it if several processes share each exploration: which of them this is, and where they meet.",
    TSBUILDER_BUNDLE: "tsbuilder scorecard sets it for its tests: the bundle's folder.",
    TSBUILDER_NAMESPACE: "tsbuilder scorecard sets it for its tests: the namespace of the examples.",
    KIND_CLUSTER: "The kind cluster of a project's Makefile and test/e2e. Default: PROJECT-test-e2e.",
    KIND: "The kind program of a project's Makefile and test/e2e. Default: kind.",
  },
};

/** The page of the variables that the CLI, operators and tests read. */
const environmentPage: Page = {
  title: "Environment variables",
  order: 8,
  body: [
    `Each flag of a command can also be set in the environment: ${code("--project-name")} by ${code(environmentVariable("project-name"))}. A typed flag wins; the command says which flags come from the environment. These only count when they are typed: ${typedOnly.map((flag) => code(`--${flag}`)).join(", ")}.`,
    ...Object.entries(environmentVariables).flatMap(([reader, variables]) => [
      `## Read by ${reader}`,
      table(
        ["variable", "what it does"],
        Object.entries(variables).map(([name, summary]) => [code(name), prose(summary)]),
      ),
    ]),
  ],
};

/** The page of the classes of mistakes that the simulation finds. */
const classesPage: Page = {
  title: "Classes of simulated failures",
  order: 9,
  body: [
    `The simulation names each failure by its class, after what is left once the story has been made as short as it gets. What a class means stands below, and in ${code("failure.story")}.`,
    ...Object.entries(advice).flatMap(([name, text]) => [
      `## ${name}`,
      sentence(text),
      `[More about it](${pagePath(bookPages[name as keyof typeof bookPages])}).`,
    ]),
  ],
};

/** The page of the classes of changes that `api check` finds. */
const apiChangesPage: Page = {
  title: "Classes of changes of an API",
  order: 10,
  body: [
    `${code("tsbuilder api check")} names each change by its class. Where an error needs a witness, a change without one is a warning: no object was found that was valid before and is rejected now. Below ${code(".status")} only clients are affected, because nobody else writes there. [Your API changes](../guides/api-changes.md) explains the rest.`,
    table(
      ["class", "what has changed", "severity", "whom it breaks"],
      Object.entries(rules).map(([name, { summary, severity, breaks }]) => [
        code(name),
        sentence(prose(summary)),
        severity === "witness" ? "error with a witness" : severity,
        breaks.join(", "),
      ]),
    ),
  ],
};

/** Converts a link to the published book into one from a page of the reference. */
function pagePath(link: string): string {
  return link.replace(bookAddress, "../").replace(/\.html(?=#|$)/u, ".md");
}

/** Returns words as inline code, separated by commas. */
function codes(words: readonly string[]): string {
  return words.map(code).join(", ");
}
