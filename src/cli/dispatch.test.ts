import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { goldenHost, run } from "../../e2e/golden/golden-projects.ts";
import { everythingBelow } from "../scaffold/tree.ts";
import { commands } from "./commands/index.ts";
import { dispatch } from "./dispatch.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tsbuilder-cli-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const call = (line: string): Promise<string> => run(line.split(" "), root);
const initialize = (): Promise<string> => call("init --domain example.com --project-name shop");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

describe("dispatch()", () => {
  test.each(["", "--help", "help"])("lists the commands for %j", async (line) => {
    const printed = await run(line === "" ? [] : [line], root);
    for (const { name, summary } of commands) expect(printed).toMatch(new RegExp(`${name} +${summary}`));
  });

  test("lists the commands of a group", async () => {
    const printed = await call("create --help");
    expect(printed).toContain("create webhook");
    expect(printed).not.toContain("delete api");
  });

  test.each([
    ["creat api", `did you mean "tsbuilder create api"?`],
    ["create apis", `did you mean "tsbuilder create api"?`],
    ["inti", `did you mean "tsbuilder init"?`],
    ["frobnicate", "tsbuilder --help lists the commands"],
  ])("proposes what may have been meant by %j", async (line, hint) => {
    await expect(call(line)).rejects.toMatchObject({ code: "INVALID_ARGUMENT", hint });
  });

  test.each([
    ["init --domian example.com", `did you mean "--domain"?`],
    ["init --domain example.com --license gpl", "tsbuilder init --help tells its flags"],
    ["create api --kind", "tsbuilder create api --help tells its flags"],
    ["init --domain example.com --multigroup=perhaps", "type --multigroup or --multigroup=false"],
    ["init --domain example.com --repo github.com/x/y", "imports are relative"],
    ["init --domain example.com --plugins go/v4", "TypeScript and kustomize are built in"],
  ])("refuses %j with what to type next, and writes nothing", async (line, hint) => {
    await expect(call(line)).rejects.toMatchObject({
      code: "INVALID_ARGUMENT",
      hint: expect.stringContaining(hint) as string,
    });
    expect(readdirSync(root)).toEqual([]);
  });

  test("names the flags that are missing where nobody can be asked", async () => {
    await initialize();
    await expect(call("create api --group apps")).rejects.toMatchObject({
      message: "tsbuilder create api needs --version, --kind",
      hint: "add --version VERSION --kind KIND",
    });
  });

  test.each(commands.map((entry) => [entry.name, entry] as const))(
    "%s says in its file what the list says",
    async (_, entry) => {
      const command = await entry.load();
      expect(command.summary).toBe(entry.summary);
      expect(command.summary).not.toMatch(/\.$/);
    },
  );

  test("has every file of commands/ in its list", async () => {
    const files = readdirSync(new URL("commands", import.meta.url)).filter(
      (name) => name !== "index.ts" && !name.endsWith(".test.ts"),
    );
    expect(files.sort()).toEqual(commands.map(({ name }) => `${name.replaceAll(" ", "-")}.ts`).sort());
  });
});

describe("init", () => {
  test("refuses a folder that holds a project", async () => {
    await initialize();
    await expect(initialize()).rejects.toMatchObject({ code: "ALREADY_INITIALIZED" });
  });

  test("writes a whole operator with --template", async () => {
    await call("init --domain example.com --project-name shop --template appservice");
    expect(read("PROJECT")).toContain("template:\n    name: appservice");
    expect(read("src/main.ts")).toContain("setupAppServiceController(manager);");
    expect(existsSync(join(root, "config/crd/bases/apps.example.com_appservices.yaml"))).toBe(true);
  });

  test("keeps what is there and has room beside it", async () => {
    writeFileSync(join(root, "README.md"), "mine");
    const printed = await initialize();
    expect(read("README.md")).toBe("mine");
    expect(printed).toContain(`kept "README.md", which was there already`);
  });

  test("refuses what it can't live with, and writes nothing", async () => {
    writeFileSync(join(root, "package.json"), "{}");
    await expect(initialize()).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    expect(readdirSync(root)).toEqual(["package.json"]);
  });

  test("takes a licence header from a file", async () => {
    writeFileSync(join(root, "header.txt"), "/* ours since YEAR */\n");
    await call("init --domain example.com --project-name shop --license-file header.txt");
    await call("create api --group apps --version v1 --kind Order");
    expect(read("api/v1/order_types.ts")).toMatch(/^\/\* ours since \d{4} \*\/\n\nimport/);
  });
});

describe("create api", () => {
  beforeEach(initialize);

  test.each([
    ["--version 1 --kind Order", "INVALID_NAME"],
    ["--version v1 --kind order", "INVALID_NAME"],
    ["--version v1 --kind Order --group Apps", "INVALID_NAME"],
    ["--version v1 --kind Order --plural Orders", "INVALID_NAME"],
    ["--version v1 --kind Order --short-name O", "INVALID_NAME"],
    ["--version v1 --kind Order --resource=false --controller=false", "INVALID_ARGUMENT"],
    ["--version v1 --kind Order --group nothing --resource=false", "NOT_FOUND"],
    ["--version v1 --kind Deploymen --group apps --resource=false", "NOT_FOUND"],
  ])("refuses %s and changes nothing", async (flags, code) => {
    const before = snapshot();
    await expect(call(`create api --group apps ${flags}`)).rejects.toMatchObject({ code });
    expect(snapshot()).toEqual(before);
  });

  test("refuses a second group in one folder", async () => {
    await call("create api --group apps --version v1 --kind Order");
    await expect(call("create api --group crew --version v1 --kind Captain")).rejects.toMatchObject({
      code: "REFUSED",
      hint: expect.stringContaining("tsbuilder edit --multigroup") as string,
    });
  });

  test("refuses controllers whose names would become one", async () => {
    await call("create api --group apps --version v1 --kind Order");
    const again = "create api --group apps --version v1 --kind Order --resource=false";
    await expect(call(again)).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    await call(`${again} --controller-name order-backup`);
    await expect(call(`${again} --controller-name orderbackup`)).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
    });
  });

  test("writes again with --force what the user changed", async () => {
    await call("create api --group apps --version v1 --kind Order");
    const types = read("api/v1/order_types.ts");
    writeFileSync(join(root, "api/v1/order_types.ts"), "mine");
    await call("create api --group apps --version v1 --kind Order --force");
    expect(read("api/v1/order_types.ts")).toBe(types);
    expect(read("src/main.ts").match(/setupOrderController\(manager\)/g)).toHaveLength(1);
  });

  test("shows with --dry-run and --diff what it would do, and does nothing", async () => {
    const before = snapshot();
    const line = "create api --group apps --version v1 --kind Order";
    expect(await call(`${line} --dry-run`)).toContain("create api/v1/order_types.ts");
    const diff = await call(`${line} --diff`);
    expect(diff).toContain("+++ b/api/v1/order_types.ts\n@@ -0,0 +1,");
    expect(diff).toContain("+setupOrderController(manager);");
    expect(snapshot()).toEqual(before);
  });

  test("says which lines to paste where a marker is gone, and changes nothing", async () => {
    writeFileSync(
      join(root, "src/main.ts"),
      read("src/main.ts").replace("// +tsbuilder:scaffold:setup\n", ""),
    );
    const before = snapshot();
    await expect(call("create api --group apps --version v1 --kind Order")).rejects.toMatchObject({
      code: "MARKER_MISSING",
      hint: expect.stringContaining("setupOrderController(manager);") as string,
    });
    expect(snapshot()).toEqual(before);
  });

  test("reports errors of the sources with their place, and changes nothing", async () => {
    await call("create api --group apps --version v1 --kind Order");
    writeFileSync(
      join(root, "api/v1/order_types.ts"),
      `${read("api/v1/order_types.ts")}export interface X {\n`,
    );
    const before = snapshot();
    await expect(call("create api --group apps --version v1 --kind Bill")).rejects.toMatchObject({
      code: "INVALID_SOURCE",
      message: expect.stringContaining("api/v1/order_types.ts:") as string,
    });
    expect(snapshot()).toEqual(before);
  });

  test("proposes the group of Kubernetes that may have been meant", async () => {
    const line = "create api --group netwroking --version v1 --kind NetworkPolicy --resource=false";
    await expect(call(line)).rejects.toMatchObject({ hint: "did you mean --group networking?" });
  });

  test("finds plural and scope of a kind of Kubernetes", async () => {
    await call("create api --group networking --version v1 --kind NetworkPolicy --resource=false");
    const controller = read("src/controller/networkpolicy_controller.ts");
    expect(controller).toContain(`from "@tsbuilder/runtime/k8s/networking/v1";`);
    expect(controller).toContain("groups=networking.k8s.io,resources=networkpolicies,verbs");
  });

  test.each([
    ["--image nginx: ", `"nginx:" is not the name of an image`],
    ["--template deploy-image", `the template "deploy-image" needs --image`],
    ["--image nginx --image-container-port 0", `the port "0" is not valid`],
    ["--image nginx --run-as-user root", `the user "root" is not valid`],
    ["--template appservice --image nginx", `--image is not for "appservice"`],
    ["--run-as-user 1", "--run-as-user is not for a skeleton"],
    ["--image nginx --controller=false", "--template writes types and a controller"],
  ])("refuses %s", async (flags, message) => {
    const line = `create api --group apps --version v1 --kind Web ${flags.trim()}`;
    await expect(call(line)).rejects.toThrow(message);
  });

  test.each(["nginx", "nginx:1.29", `localhost:5000/nginx@sha256:${"0".repeat(64)}`])(
    "makes an operator for the image %s",
    async (image) => {
      await call(
        `create api --group apps --version v1 --kind Web --image ${image} --image-container-port 80`,
      );
      expect(read("config/crd/bases/apps.example.com_webs.yaml")).toContain(`default: ${image}\n`);
    },
  );

  test("takes a kind of somebody else's from an npm package", async () => {
    await call(
      "create api --group cert-manager --external-domain io --version v1 --kind Certificate --resource=false --external-module @example/cert-manager --make=false",
    );
    expect(read("src/controller/certificate_controller.ts")).toContain(
      `import { Certificate } from "@example/cert-manager";`,
    );
  });

  test("makes types from a file with somebody else's definition, and takes them back", async () => {
    const before = snapshot();
    writeDefinition();
    const line = "--group cert-manager.io --version v1 --kind Certificate";
    await call(`create api ${line} --resource=false --crd ${definition}`);
    expect(read("src/types/cert-manager.io/v1/certificate_types.ts")).toContain("secretName: string");
    const controller = read("src/controller/certificate_controller.ts");
    expect(controller).toContain(
      `import { Certificate } from "../types/cert-manager.io/v1/certificate_types.ts";`,
    );
    expect(controller).toContain("groups=cert-manager.io,resources=certificates,verbs");
    expect(existsSync(join(root, "config/crd"))).toBe(false);
    await call(`delete api ${line}`);
    expect(snapshot()).toEqual(before);
  });

  test("names what a file with definitions has, where it is something else", async () => {
    writeDefinition();
    const line = `--resource=false --crd ${definition} --group cert-manager.io`;
    await expect(call(`create api ${line} --version v2 --kind Certificate`)).rejects.toMatchObject({
      hint: "it has --version v1",
    });
    await expect(call(`create api ${line} --version v1 --kind Issuer`)).rejects.toMatchObject({
      hint: "it has --kind Certificate",
    });
  });

  test("writes fifty kinds into one project", async () => {
    for (let i = 0; i < 50; i++)
      await call(`create api --group apps --version v1 --kind Kind${i} --make=false`);
    expect(read("src/main.ts").match(/setupKind\d+Controller\(manager\)/g)).toHaveLength(50);
  }, 60_000);
});

const definition = join(tmpdir(), `tsbuilder-crd-${process.pid}.yaml`);
afterEach(() => rmSync(definition, { force: true }));

/** The definition of a kind of somebody else's, beside the project. */
function writeDefinition(): void {
  const schema = {
    type: "object",
    properties: {
      spec: { type: "object", required: ["secretName"], properties: { secretName: { type: "string" } } },
    },
  };
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "certificates.cert-manager.io" },
    spec: {
      group: "cert-manager.io",
      names: {
        kind: "Certificate",
        listKind: "CertificateList",
        plural: "certificates",
        singular: "certificate",
      },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
  writeFileSync(definition, JSON.stringify(crd));
}

describe("manifests", () => {
  beforeEach(async () => {
    await initialize();
    await call("create api --group apps --version v1 --kind Order");
  });

  test("--check passes while nothing has changed, and shows and names what would change", async () => {
    await call("manifests --check");
    const printed: string[] = [];
    const keep = (text: string): void => void printed.push(text);
    const ui = { print: keep, note: keep, isInteractive: false };
    const types = read("api/v1/order_types.ts");
    writeFileSync(join(root, "api/v1/order_types.ts"), types.replace("foo?: string;", "bar?: string;"));
    const before = snapshot();
    await expect(dispatch(["manifests", "--check"], root, ui, goldenHost)).rejects.toMatchObject({
      message: `"config/crd/bases/apps.example.com_orders.yaml" would change`,
    });
    expect(printed.join("\n")).toMatch(/^\+\s+bar:/m);
    expect(snapshot()).toEqual(before);
  });

  test("--markers tells about a marker without a project", async () => {
    rmSync(join(root, "PROJECT"));
    expect(await call("manifests --markers printcolumn")).toContain("kubebuilder:printcolumn");
  });

  test("generate keeps an API reference up to date once there is one", async () => {
    await call("generate docs");
    const page = "docs/api/apps.example.com_v1.md";
    const types = read("api/v1/order_types.ts");
    writeFileSync(join(root, "api/v1/order_types.ts"), types.replace("foo?: string;", "bar?: string;"));
    await call("generate");
    expect(read(page)).toContain("bar");
  });
});

describe("delete api", () => {
  beforeEach(async () => {
    await initialize();
    await call("create api --group apps --version v1 --kind Order");
  });

  const line = "delete api --group apps --version v1 --kind Order";
  const change = (): void =>
    writeFileSync(
      join(root, "src/controller/order_controller.ts"),
      "// mine\n" + read("src/controller/order_controller.ts"),
    );

  test("refuses where the user changed a file, and names it", async () => {
    change();
    const before = snapshot();
    await expect(call(line)).rejects.toMatchObject({
      code: "FILE_CHANGED",
      message: `you changed "src/controller/order_controller.ts"`,
    });
    expect(snapshot()).toEqual(before);
  });

  test("deletes it all the same with --force", async () => {
    change();
    await call(`${line} --force`);
    expect(existsSync(join(root, "src/controller"))).toBe(false);
  });

  test("leaves it behind with --keep, unwired", async () => {
    change();
    await call(`${line} --keep --make=false`);
    expect(read("src/controller/order_controller.ts")).toContain("// mine");
    expect(read("src/main.ts")).not.toContain("setupOrderController");
  });

  test("proposes the kind that may have been meant", async () => {
    await expect(call("delete api --group apps --version v1 --kind Oder")).rejects.toMatchObject({
      code: "NOT_FOUND",
      hint: "did you mean --kind Order?",
    });
  });
});

describe("edit", () => {
  beforeEach(async () => {
    await initialize();
    await call("create api --group apps --version v1 --kind Order");
  });

  test("moves files and rewrites the user's imports, there and back", async () => {
    writeFileSync(join(root, "src/mine.ts"), `import { Order } from "../api/v1/order_types.ts";\n`);
    const before = snapshot();
    await call("edit --multigroup");
    expect(read("src/mine.ts")).toContain(`"../api/apps/v1/order_types.ts"`);
    expect(existsSync(join(root, "src/controller/apps/order_controller.ts"))).toBe(true);
    await call("edit --multigroup=false");
    expect(snapshot()).toEqual(before);
  });

  test("moves a file whose imports the user rewrote", async () => {
    const file = "src/controller/order_controller.ts";
    const body = read(file).slice(read(file).indexOf("// +kubebuilder"));
    const imports = (folder: string): string => `import { Order } from "${folder}/order_types.ts";\n`;
    writeFileSync(join(root, file), `${imports("../../api/v1")}${body}`);
    await call("edit --multigroup");
    expect(read("src/controller/apps/order_controller.ts")).toBe(`${imports("../../../api/apps/v1")}${body}`);
  });

  test("refuses to put several groups into one folder", async () => {
    await call("edit --multigroup");
    await call("create api --group crew --version v1 --kind Captain");
    await expect(call("edit --multigroup=false")).rejects.toMatchObject({
      code: "REFUSED",
      message: "the project has 2 groups: apps.example.com, crew.example.com",
    });
  });

  test("changes the licence header of files that the user changed elsewhere", async () => {
    const file = "src/controller/order_controller.ts";
    writeFileSync(join(root, file), `${read(file)}\n// mine\n`);
    await call("edit --license none");
    expect(read(file)).toMatch(/^import[\s\S]*\/\/ mine\n$/);
    expect(read("src/main.ts")).toMatch(/^import/);
  });

  test.each([
    ["--enable prometheus --disable metrics", `"prometheus" needs "metrics"`],
    ["--enable cert-manager,self-signed,webhook", `exclude each other`],
    ["--enable webhook", "need a certificate"],
    ["--enable metrics-tls", `"metrics-tls" needs "cert-manager"`],
    ["--enable metrics --disable metrics", "switched on and off"],
    ["--namespaces team-a --namespaced=false", "--namespaces is for namespaced operators"],
  ])("refuses %s", async (flags, message) => {
    await expect(call(`edit ${flags}`)).rejects.toThrow(message);
  });

  test("proposes the feature that may have been meant", async () => {
    await expect(call("edit --enable promethus")).rejects.toMatchObject({
      hint: `did you mean "prometheus"?`,
    });
  });

  test("refuses to do nothing", async () => {
    await expect(call("edit")).rejects.toMatchObject({ message: "nothing is asked for" });
  });
});

test("a command finds its project from a folder below", async () => {
  await initialize();
  await dispatch(
    ["create", "api", "--group", "apps", "--version", "v1", "--kind", "Order"],
    join(root, "src"),
    { print: () => undefined, note: () => undefined, isInteractive: false },
    goldenHost,
  );
  expect(existsSync(join(root, "api/v1/order_types.ts"))).toBe(true);
});

test("a command outside of a project says how to start one", async () => {
  await expect(call("create api --group apps --version v1 --kind Order")).rejects.toMatchObject({
    code: "NOT_A_PROJECT",
    hint: expect.stringContaining("tsbuilder init") as string,
  });
});

/** All files with their texts, but for the record of what is ours. */
function snapshot(): Record<string, string> {
  const paths = everythingBelow(root)
    .list("")
    .filter((path) => path !== ".tsbuilder/owned.json");
  return Object.fromEntries(paths.map((path) => [path, read(path)]));
}
