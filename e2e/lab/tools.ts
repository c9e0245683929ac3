import { program, script, type Step, vitest } from "../tools/run-steps.ts";

/** A command that few need: its last step gets the arguments. */
interface Tool {
  readonly summary: string;
  readonly steps: readonly [...Step[], Step];
}

/** The tools by what they are for. */
const groups: Readonly<Record<string, Readonly<Record<string, Tool>>>> = {
  "Suites beside npm test": {
    journeys: { summary: "journeys of a user on the packed packages", steps: [vitest(["journeys"])] },
    "long-journeys": {
      summary: "journeys that need kubectl, helm, buildah or Chromium, or take a minute each; build first",
      steps: [vitest(["long-journeys"])],
    },
    strangers: {
      summary: "what the book says, with a release from a registry on loopback; build first",
      steps: [script("book"), vitest(["strangers"])],
    },
    real: { summary: "the suites on a real kube-apiserver", steps: [vitest(["real"])] },
    node: {
      summary: "journeys on a whole Kubernetes with containers; writes their results down",
      steps: [script("build"), program("e2e/journeys/node/run.ts")],
    },
    conformance: {
      summary: "Kubernetes' own conformance suite on the embedded cluster; writes its verdicts down",
      steps: [program("e2e/oracle/kubernetes-suite/run.ts")],
    },
    suites: {
      summary:
        "[PROJECT [PACKAGE…]]: envtest suites of projects in Go, on the embedded cluster and on a real one",
      steps: [script("build"), program("e2e/lab/suites/main.ts")],
    },
    olm: {
      summary: "bundles and catalogs as operator-sdk, opm and OLM itself see them",
      steps: [
        program("e2e/oracle/real/olm-programs/main.ts"),
        ["e2e/oracle/real/olm-programs/own-network.sh", ...vitest(["real"], "e2e/oracle/real/olm-")],
      ],
    },
  },
  "Files that are generated": {
    facts: {
      summary:
        "[--kubernetes-version X] [--write]: what Kubernetes' Go module knows of built-in kinds, and what differs from ours",
      steps: [program("e2e/lab/facts/main.ts")],
    },
    tables: {
      summary: "the tables of the built-in kinds; npm ci makes them",
      steps: [program("src/apimachinery/kinds/build/build-tables.ts")],
    },
    parser: {
      summary: "the parser that is cut out of TypeScript's compiler; npm ci makes it",
      steps: [program("src/generators/loader/build/build-parser.ts")],
    },
    api: {
      summary: "what the packages export: api-report.md beside each",
      steps: [program("e2e/rules/api/rewrite.ts")],
    },
    locks: {
      summary: "the lock files of new projects; --newest first takes newer versions",
      steps: [program("e2e/lab/locks/main.ts")],
    },
    pictures: {
      summary:
        "the pictures in README and book: of terminals, from what the commands print, and of the page of dev",
      steps: [
        script("build"),
        vitest(["long-journeys"], "e2e/journeys/long/pictures.test.ts", "--update"),
        program("e2e/lab/pictures/page.ts"),
      ],
    },
    record: {
      summary: "KUBECONFIG conformance|controllers [CHAPTER]: what a real control plane does in stories",
      steps: [program("e2e/oracle/record.ts")],
    },
    release: {
      summary: "prepares a release, or shows with --dry-run what it would publish",
      steps: [program("e2e/lab/release/main.ts")],
    },
  },
  "Searches for mistakes": {
    explore: {
      summary: "the property tests, and the explorations of our own parts, with fresh seeds",
      steps: [program("e2e/tools/explore.ts")],
    },
    seeds: {
      summary: "the exploring tests of the golden projects, for thousands of seeds",
      steps: [program("e2e/lab/seeds/seeds.ts")],
    },
    flakes: { summary: "tests that the speed of a machine decides", steps: [program("e2e/tools/flakes.ts")] },
    fuzz: {
      summary:
        "[--time SECONDS | --inputs N] [PARSER…]: inputs that run ever more code of the parsers that strangers reach",
      steps: [program("e2e/lab/fuzz/fuzz.ts")],
    },
    parts: {
      summary: "[PART…]: parts of ours beside the best library for each, on a corpus by others",
      steps: [program("e2e/lab/parts/main.ts")],
    },
    "first-minute": {
      summary: "[--any-time] [NODE,…] [NPM,…]: npm ci and npm run demo in fresh clones, without a warning",
      steps: [program("e2e/lab/first-minute/first-minute.ts")],
    },
    workflows: {
      summary: "actionlint and zizmor on our workflows and those of new projects",
      steps: [program("e2e/lab/workflows/main.ts")],
    },
    differential: {
      summary: "random requests to a real and to the embedded server, and where the answers differ",
      steps: [program("e2e/oracle/differential/differential.ts")],
    },
    cases: {
      summary:
        "[--record] [--again] [--kind KIND] [--show CLASS]: the cases of Kubernetes' own tests, tried on the embedded server",
      steps: [program("e2e/oracle/kubernetes-cases/main.ts")],
    },
    "go-types": {
      summary: "types of operators written in Go, and their CRDs beside those of controller-gen",
      steps: [program("e2e/lab/go-types/main.ts")],
    },
    imports: {
      summary: "[FOLDER…]: what tsbuilder import makes of kubebuilder projects of others",
      steps: [program("e2e/lab/imports/main.ts")],
    },
    histories: {
      summary: "[--show] [--real] [MODULE…]: what api check finds in the releases of operators in Go",
      steps: [program("e2e/lab/histories/main.ts")],
    },
    operators: {
      summary:
        "[--prepare] [NAME…]: operators of other people, built and brought to a ready sample by dev --exec",
      steps: [script("build"), program("e2e/lab/operators/main.ts")],
    },
    gallery: {
      summary: "operators with a mistake each, which the simulation must find",
      steps: [program("e2e/lab/gallery/gallery.ts")],
    },
    defects: {
      summary: "mistakes of users' operators, and how many of them the simulation finds in a minute",
      steps: [program("e2e/lab/defects/defects.ts")],
    },
    mutants: {
      summary: "changes the runtime in 150 places, one at a time, which its tests must notice",
      steps: [program("e2e/lab/mutants/mutants.ts")],
    },
    unmended: {
      summary: "takes fixes out, one at a time, which the simulation must notice",
      steps: [program("e2e/lab/mutants/unmended/main.ts")],
    },
    traces: {
      summary: "the same seeds on this Node and on others, whose traces must be equal",
      steps: [program("e2e/lab/node-versions/compare-traces.ts")],
    },
    soak: {
      summary: "an operator whose connections break, for a long time",
      steps: [program("e2e/lab/soak/runtime-churn.ts")],
    },
    "soak-nodes": {
      summary:
        "[--minutes 60] [--real]: thirty pods that come and go on two nodes, while the control plane and a node are killed",
      steps: [program("e2e/lab/soak/nodes-hour.ts")],
    },
    "soak-kills": {
      summary: "clusters that are killed during writes, again and again",
      steps: [program("e2e/lab/soak/cluster-kills.ts")],
    },
  },
  "Measurements and real servers": {
    bench: { summary: "NAME…: benchmarks, printed as ratios", steps: [program("e2e/lab/bench/run.ts")] },
    "control-plane": {
      summary:
        "builds etcd, kube-apiserver, kube-controller-manager and a collector of traces from their Go modules",
      steps: [program("e2e/oracle/real/build-control-plane.ts")],
    },
    "real-node": {
      summary:
        "a Kubernetes with containers, in namespaces of its own; --embedded takes the embedded control plane, --shell opens a shell in it",
      steps: [program("e2e/oracle/real/node/main.ts")],
    },
    migration: {
      summary:
        "[--objects N] [--rate N] [--kill-every SECONDS]: objects stored again on a real server, beside writers and kills",
      steps: [program("e2e/oracle/real/storage-migration/main.ts")],
    },
    mysql: {
      summary: "the MySQL template with real servers, disturbed: --disturbances N, --seed N, --control-plane",
      steps: [program("e2e/oracle/mysql/disturb.ts")],
    },
  },
};

const tools = Object.assign({}, ...Object.values(groups)) as Readonly<Record<string, Tool>>;

/** The steps of a tool, or what is wrong with its name. */
export function chooseTool(name: string, args: readonly string[]): Step[] | string {
  if (!Object.hasOwn(tools, name)) return `the lab has no ${name}\n\n${listTools()}`;
  const { steps } = tools[name]!;
  return [...steps.slice(0, -1), [...steps.at(-1)!, ...args] as Step];
}

/** The names of all tools. */
export const toolNames: readonly string[] = Object.keys(tools);

/** All tools with their summaries, for a terminal. */
export function listTools(): string {
  const lines = Object.entries(groups).flatMap(([title, members]) => [
    "",
    title,
    ...Object.entries(members).map(([name, { summary }]) => `  ${name.padEnd(20)}${summary}`),
  ]);
  return ["npm run lab -- NAME [ARGUMENTS]", ...lines].join("\n");
}
