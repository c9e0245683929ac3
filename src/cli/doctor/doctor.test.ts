import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { goldenHost, run } from "../../../e2e/golden/golden-projects.ts";
import { dispatch } from "../start/main.ts";
import { openProject } from "../project/open-project.ts";
import { diskTree } from "../../scaffold/tree.ts";
import { checkPackages, checkPlace } from "./check-packages.ts";
import { checkProject } from "./check-project.ts";
import { checkNode } from "./check-tools.ts";

let root: string;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "tsbuilder-doctor-"));
  await run(["init", "--domain", "example.com", "--project-name", "shop"], root);
  await run(["create", "api", "--group", "apps", "--version", "v1", "--kind", "Order"], root);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const check = () =>
  checkProject(openProject(root, { print: () => undefined, note: () => undefined, isInteractive: false }));
const edit = (path: string, change: (text: string) => string): void =>
  writeFileSync(join(root, path), change(readFileSync(join(root, path), "utf8")));

/** Only what says that a package is installed. */
function installPackages(): void {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    [key: string]: object;
  };
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    mkdirSync(join(root, "node_modules", name), { recursive: true });
    writeFileSync(join(root, "node_modules", name, "package.json"), "{}");
  }
}

test("checkPackages() names what an interrupted npm install left out", () => {
  const names = (): unknown => checkPackages(root, diskTree(root));
  expect(names()).toMatchObject([{ state: "wrong", subject: "packages", remedy: "npm install" }]);
  installPackages();
  expect(names()).toEqual([]);
  rmSync(join(root, "node_modules/vitest"), { recursive: true });
  expect(names()).toMatchObject([{ message: "vitest is not installed" }]);
  writeFileSync(join(root, "package.json"), "{");
  expect(names()).toMatchObject([{ state: "wrong", message: "the file is not valid JSON" }]);
  rmSync(join(root, "package.json"));
  expect(names()).toMatchObject([{ state: "wrong", message: "the file is missing" }]);
});

test("a project below the root of a repository says so in its workflows, and doctor what GitHub can't find", async () => {
  expect(checkPlace(root, diskTree(root))).toEqual([]);
  mkdirSync(join(root, ".git"));
  expect(checkPlace(root, diskTree(root))).toEqual([]);
  writeFileSync(join(root, "package.json"), '{"workspaces":["services/*"]}');
  const member = join(root, "services/shop");
  mkdirSync(member, { recursive: true });
  await run(["init", "--domain", "example.com"], member);
  const workflow = readFileSync(join(member, ".github/workflows/test.yml"), "utf8");
  expect(workflow).toContain(
    'permissions: {}\n\ndefaults:\n  run:\n    working-directory: "services/shop"\n\njobs:',
  );
  expect(workflow).not.toContain("cache:");
  expect(checkPlace(member, diskTree(member))).toMatchObject([
    { state: "missing", subject: ".github", remedy: expect.stringContaining("../../.github") as string },
    { state: "missing", subject: "Dockerfile", message: expect.stringContaining(root) as string },
  ]);
});

test("checkPackages() names packages of ours that are of different versions", () => {
  installPackages();
  const specify = (name: string, specifier: string): void =>
    edit("package.json", (text) => text.replace(new RegExp(`("${name}": )".*"`, "u"), `$1"${specifier}"`));
  for (const name of ["runtime", "cluster", "simulation"]) specify(`@tsbuilder/${name}`, "^0.1.0");
  specify("tsbuilder", "0.1.0");
  expect(checkPackages(root, diskTree(root))).toEqual([]);
  specify("@tsbuilder/cluster", "^0.2.0");
  expect(checkPackages(root, diskTree(root))).toMatchObject([
    {
      subject: "package.json",
      message: expect.stringContaining("@tsbuilder/cluster ^0.2.0, @tsbuilder/simulation ^0.1.0") as string,
    },
  ]);
  specify("@tsbuilder/cluster", "file:vendor/tsbuilder-cluster-0.1.0.tgz");
  expect(checkPackages(root, diskTree(root))).toMatchObject([{ state: "wrong", subject: "package.json" }]);
});

const tarball = (name: string, version: string): string => `file:vendor/tsbuilder-${name}-${version}.tgz`;
test.each([
  ["^0.2.1", "0.2.0", 0],
  ["^0.2", "0.2.0", 0],
  ["^0.2.0-rc.1", "0.2.0-rc.2", 0],
  ["^1.4.0", "1.2.0", 0],
  ["^0", "0.2.0", 1],
  ["^2.0.0", "1.2.0", 1],
  [tarball("runtime", "0.1.0-dev.h1"), tarball("cli", "0.1.0-dev.h2"), 0],
  [tarball("runtime", "0.1.1-dev.h1"), tarball("cli", "0.1.0-dev.h2"), 1],
])("checkPackages() compares %s with %s as npm does", (runtime, tsbuilder, wrong) => {
  installPackages();
  const project = { dependencies: { "@tsbuilder/runtime": runtime }, devDependencies: { tsbuilder } };
  writeFileSync(join(root, "package.json"), JSON.stringify(project));
  expect(checkPackages(root, diskTree(root))).toHaveLength(wrong);
});

test("doctor exits with 1 if packages are not installed", async () => {
  const quiet = { print: () => undefined, note: () => undefined, isInteractive: false };
  const doctor = (): Promise<number> => dispatch(["doctor"], root, quiet, goldenHost);
  expect(await doctor()).toBe(1);
  installPackages();
  expect(await doctor()).toBe(0);
});

test.each(["src/main.ts", ".github/workflows/test.yml", "config/rbac/role_binding.yaml"])(
  "doctor finds a conflict in %s, and says nothing else of the project",
  async (path) => {
    installPackages();
    edit(path, (text) => `${text}<<<<<<< yours\na\n=======\nb\n>>>>>>> tsbuilder 2\n`);
    const line = readFileSync(join(root, path), "utf8").split("\n").indexOf("<<<<<<< yours") + 1;
    const printed: string[] = [];
    const ui = {
      print: (text: string) => void printed.push(text),
      note: () => undefined,
      isInteractive: false,
    };
    expect(await dispatch(["doctor"], root, ui, goldenHost)).toBe(1);
    expect(printed.at(-1)).toMatch(
      new RegExp(`^\\nThis project:\\n {2}! ${path}:${line}: a conflict is not resolved\\n.*$`, "u"),
    );
  },
);

describe("checkProject()", () => {
  test("finds nothing wrong in a new project", async () => {
    expect(await check()).toEqual([
      { state: "good", subject: "PROJECT", message: "the files match it and are up to date" },
    ]);
  });

  test("finds a missing file, but ignores a missing README", async () => {
    rmSync(join(root, "src/controller/order_controller.ts"));
    rmSync(join(root, "README.md"));
    const subjects = (await check()).map(({ subject }) => subject);
    expect(subjects).toContain("src/controller/order_controller.ts");
    expect(subjects).not.toContain("README.md");
  });

  test("finds a missing marker and a missing line", async () => {
    edit("src/main.ts", (text) => text.replace("// +tsbuilder:scaffold:imports\n", ""));
    edit("src/main.ts", (text) => text.replace("setupOrderController(manager);\n", ""));
    const messages = (await check()).map(({ message }) => message);
    expect(messages).toEqual([
      `the line "// +tsbuilder:scaffold:imports" is missing`,
      `"setupOrderController(manager);" is missing`,
    ]);
  });

  test("finds a CRD that is out of date, and one without a kind", async () => {
    edit("api/v1/order_types.ts", (text) => text.replace("foo?: string;", "bar?: string;"));
    writeFileSync(
      join(root, "config/crd/bases/apps.example.com_olds.yaml"),
      readFileSync(join(root, "config/crd/bases/apps.example.com_orders.yaml"), "utf8").replaceAll(
        "order",
        "old",
      ),
    );
    const found = await check();
    expect(found.map(({ subject }) => subject)).toEqual([
      "config/crd/bases/apps.example.com_orders.yaml",
      "config/crd/bases/apps.example.com_olds.yaml",
    ]);
    for (const { remedy } of found) expect(remedy).toContain("npm run manifests");
  });

  test("finds permissions on cluster-scoped kinds in a namespaced operator's Role", async () => {
    const kind = ["--group", "apps", "--version", "v1", "--kind"];
    await run(["create", "api", ...kind, "Zone", "--cluster-scoped"], root);
    await run(["edit", "--namespaced"], root);
    expect(await check()).toMatchObject([{ state: "good" }]);
    // As a project has it that an earlier version scaffolded, and that reads Nodes.
    edit("src/controller/zone_controller.ts", (text) =>
      text.replaceAll(",roleName=manager-cluster-role", ""),
    );
    const nodes = '// +kubebuilder:rbac:groups="",resources=nodes,verbs=list;watch\n';
    edit("src/controller/order_controller.ts", (text) => text.replace("\n\n/**", `\n${nodes}\n/**`));
    await run(["manifests"], root);
    expect((await check()).map(({ message, remedy }) => [message, remedy])).toEqual(
      ["nodes", "zones.apps.example.com"].map((name) => [
        `the operator is namespaced, and a Role can't allow "${name}", which is cluster-scoped`,
        "add roleName=manager-cluster-role to its +kubebuilder:rbac markers, run npm run manifests",
      ]),
    );
  });
});

test.each([
  ["20.19.0", "good"],
  ["20.18.3", "wrong"],
  ["18.20.0", "wrong"],
  ["26.0.0", "good"],
])("checkNode() finds %s %s", (version, state) => {
  expect(checkNode(version).state).toBe(state);
});

test("doctor lists every tool that it checks, and changes nothing", async () => {
  const before = readFileSync(join(root, "PROJECT"), "utf8");
  const printed = await run(["doctor"], root);
  for (const subject of ["node", "npm", "container tool", "kubectl", "kustomize", "helm", "kubeconfig"]) {
    expect(printed).toContain(` ${subject}: `);
  }
  expect(readFileSync(join(root, "PROJECT"), "utf8")).toBe(before);
});
