import { environmentVariable, typedOnly } from "../../../cli/arguments/command-line.ts";
import { managerFlags } from "../../../runtime/manager/manager-args.ts";
import type { FlagDefinition } from "../../../runtime/manager/flags.ts";
import { type Page, code, prose, table } from "./markdown.ts";

/** A variable of the environment that our code reads, or sets for a program of the user's. */
interface EnvironmentVariable {
  readonly readBy: "the CLI" | "the operator" | "tests";
  readonly summary: string;
}

/** All variables, without those of flags, which are `TSBUILDER_` and the flag's name. */
export const environmentVariables: Readonly<Record<string, EnvironmentVariable>> = {
  BROWSER: {
    readBy: "the CLI",
    summary: "The program that opens the page of dev. Default: what the system opens addresses with.",
  },
  KUBECONFIG: {
    readBy: "the operator",
    summary:
      "The kubeconfig files to merge, as for kubectl. Default: the pod's service account, then ~/.kube/config. The CLI's commands for clusters use it, too.",
  },
  KUBERNETES_SERVICE_HOST: {
    readBy: "the operator",
    summary: "Kubernetes sets it in pods: the address of the API server.",
  },
  KUBERNETES_SERVICE_PORT: { readBy: "the operator", summary: "Kubernetes sets it in pods, too: the port." },
  WATCH_NAMESPACE: { readBy: "the operator", summary: "The same as --watch-namespaces." },
  ENABLE_WEBHOOKS: { readBy: "the operator", summary: "The same as --enable-webhooks: false serves none." },
  LOG_LEVEL: { readBy: "the operator", summary: "The same as --log-level: debug, info, warn or error." },
  HTTPS_PROXY: {
    readBy: "the operator",
    summary:
      "The proxy to the API server, unless the kubeconfig names one, or the server is on this machine; also in lower case.",
  },
  HTTP_PROXY: {
    readBy: "the operator",
    summary: "The same for an API server whose address begins with http://.",
  },
  NO_PROXY: {
    readBy: "the operator",
    summary: "Hosts, domains and networks that need no proxy, separated by commas; also in lower case.",
  },
  HOME: {
    readBy: "the operator",
    summary: "Where ~/.kube/config is; for the CLI, its cache and plugins.",
  },
  TSBUILDER_ENVTEST_INDEX: {
    readBy: "the CLI",
    summary: "The URL of the index from which tsbuilder envtest install downloads, for a mirror.",
  },
  KUBEBUILDER_ASSETS: {
    readBy: "the CLI",
    summary:
      "The folder of kube-apiserver and etcd for tsbuilder test --real. Default: the latest that envtest installed.",
  },
  EXTERNAL_PLUGINS_PATH: {
    readBy: "the CLI",
    summary:
      "The folder of plugins that are programs. Default: kubebuilder/plugins in the configuration folder.",
  },
  XDG_CONFIG_HOME: {
    readBy: "the CLI",
    summary: "The configuration folder. Default: ~/.config, on macOS ~/Library/Application Support.",
  },
  XDG_DATA_HOME: {
    readBy: "the CLI",
    summary:
      "On Linux, where kubebuilder-envtest is, the folder of installed versions. Default: ~/.local/share.",
  },
  LocalAppData: { readBy: "the CLI", summary: "The same on Windows." },
  XDG_STATE_HOME: {
    readBy: "the CLI",
    summary:
      "Where tsbuilder remembers, outside of projects, which plugins were allowed and which journals it wrote. Default: ~/.local/state.",
  },
  XDG_CACHE_HOME: {
    readBy: "the CLI",
    summary: "Where tsbuilder keeps compiled code and what the generators found. Default: ~/.cache.",
  },
  NODE_DISABLE_COMPILE_CACHE: {
    readBy: "the CLI",
    summary: "With any value, nothing is kept in that cache.",
  },
  NODE_OPTIONS: {
    readBy: "the CLI",
    summary: "Node's options; tsbuilder test --explore adds its own before them.",
  },
  NO_COLOR: { readBy: "the CLI", summary: "With any value, nothing is coloured." },
  PATH: {
    readBy: "the CLI",
    summary:
      "Where docker, kubectl, git and other programs are found; a project's node_modules/.bin is left out.",
  },
  SystemRoot: { readBy: "the CLI", summary: "Where they are found on Windows if PATH names no such folder." },
  TERM: { readBy: "the CLI", summary: "With dumb, tsbuilder dev prints lines instead of a screen." },
  SHELL: {
    readBy: "the CLI",
    summary: "The shell that the screen of tsbuilder dev opens; ComSpec on Windows.",
  },
  ComSpec: { readBy: "the CLI", summary: "The shell on Windows." },
  TSBUILDER_TEST_ASSETS: {
    readBy: "tests",
    summary:
      "tsbuilder test --real sets it: startTestCluster() then starts the kube-apiserver and etcd of this folder.",
  },
  TSBUILDER_EXPLORE_TIME: {
    readBy: "tests",
    summary: "tsbuilder test --explore sets it: how long exploring tests run, such as 10m. Default: 3s.",
  },
  TSBUILDER_EXPLORE_SEED: { readBy: "tests", summary: "The first seed of exploring tests. Default: 1." },
  TSBUILDER_BUNDLE: {
    readBy: "tests",
    summary: "tsbuilder scorecard sets it for its tests: the bundle's folder.",
  },
  TSBUILDER_NAMESPACE: {
    readBy: "tests",
    summary: "tsbuilder scorecard sets it for its tests: the namespace of the examples.",
  },
  KIND_CLUSTER: {
    readBy: "tests",
    summary: "The kind cluster of a project's Makefile and test/e2e. Default: PROJECT-test-e2e.",
  },
  KIND: { readBy: "tests", summary: "The kind program of a project's Makefile and test/e2e. Default: kind." },
};

/** The variables that the CLI, operators and tests read. */
export const environmentPage: Page = {
  title: "Environment variables",
  order: 8,
  body: [
    `Each flag of a command can also be set in the environment: ${code("--project-name")} by ${code(environmentVariable("project-name"))}. A typed flag wins; the command says which flags come from the environment. These only count when they are typed: ${typedOnly.map((flag) => code(`--${flag}`)).join(", ")}.`,
    ...(["the CLI", "the operator", "tests"] as const).flatMap((reader) => [
      `## Read by ${reader}`,
      table(
        ["variable", "what it does"],
        Object.entries<EnvironmentVariable>(environmentVariables)
          .filter(([, { readBy }]) => readBy === reader)
          .map(([name, { summary }]) => [code(name), prose(summary)]),
      ),
    ]),
  ],
};

/** The command line of an operator whose manager is made by `Manager.fromArgs`. */
export const operatorFlagsPage: Page = {
  title: "Flags of an operator",
  order: 5,
  body: [
    `A scaffolded operator takes these flags, and those that its ${code("main.ts")} defines; ${code("--help")} prints them. Those that a kubebuilder project has, too, have the same names; the log is JSON at ${code("info")} here. Set them in ${code("config/manager/manager.yaml")}.`,
    table(
      ["flag", "default", "environment", "what it does"],
      Object.entries<FlagDefinition>(managerFlags).map(([name, definition]) => {
        const { type, default: value, env, aliases = [], description } = definition;
        const placeholder = { boolean: "", string: " VALUE", number: " NUMBER", duration: " DURATION" }[type];
        return [
          [name, ...aliases].map((one) => code(`--${one}${placeholder}`)).join(", "),
          value === undefined || value === false ? "" : code(String(value)),
          env === undefined ? "" : code(env),
          prose(description),
        ];
      }),
    ),
  ],
};
