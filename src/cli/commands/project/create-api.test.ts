import { existsSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";

const folder = useProjectFolder();
const { call, initialize, read, snapshot } = folder;

describe("create api", () => {
  beforeEach(initialize);

  test.each([
    ["--version 1 --kind Order", "INVALID_NAME"],
    ["--version v1 --kind order", "INVALID_NAME"],
    [`--version v1 --kind A${"b".repeat(59)}`, "INVALID_NAME"],
    ["--version v1 --kind Order --group Apps", "INVALID_NAME"],
    ["--version v1 --kind Order --group shop.example.com", "INVALID_NAME"],
    ["--version v1 --kind Order --group example.com", "INVALID_NAME"],
    ["--version v1 --kind Order --plural Orders", "INVALID_NAME"],
    ["--version v1 --kind Order --short-name O", "INVALID_NAME"],
    ["--version v1 --kind Order --resource=false --controller=false", "INVALID_ARGUMENT"],
    [`--version v1 --kind Order --controller-name ${"a".repeat(64)}`, "INVALID_NAME"],
    ["--version v1 --kind Order --group nothing --resource=false", "NOT_FOUND"],
    ["--version v1 --kind Deploymen --group apps --resource=false", "NOT_FOUND"],
    ["--version v1 --kind Order --owns Deployment", "INVALID_NAME"],
    ["--version v1 --kind Order --owns apps/v1/Deploymen", "NOT_FOUND"],
    ["--version v1 --kind Order --owns example.com/v1/Deployment", "INVALID_ARGUMENT"],
    ["--version v1 --kind Order --owns rbac.authorization.k8s.io/v1/ClusterRole", "INVALID_ARGUMENT"],
    ["--version v1 --kind Order --owns v1/Service --owns core/v1/Service", "INVALID_ARGUMENT"],
    ["--version v1 --kind Job --owns batch/v1/Job", "INVALID_NAME"],
    ["--version v1 --kind Service --template appservice", "INVALID_NAME"],
    ["--version v1 --kind Deployment --image nginx", "INVALID_NAME"],
    ["--version v1 --kind Probes --template appservice", "INVALID_NAME"],
    ["--version v1 --kind Buffer --template mysql", "INVALID_NAME"],
    ["--version v1 --kind INSTANCE --owns v1/Pod", "INVALID_NAME"],
    ["--version v1 --kind Order --owns v1/Service --controller=false", "INVALID_ARGUMENT"],
    ["--version v1 --kind Order --owns v1/Service --template mysql", "INVALID_ARGUMENT"],
    ["--version v1 --kind Pod --group core --resource=false --owns v1/Service", "INVALID_ARGUMENT"],
  ])("refuses %s and changes nothing", async (flags, code) => {
    const before = snapshot();
    await expect(call(`create api --group apps ${flags}`)).rejects.toMatchObject({ code });
    expect(snapshot()).toEqual(before);
  });

  test("refuses a controller with children of its kind's name, also if the kind is there", async () => {
    const kind = "create api --group shop --version v1 --kind Job --make=false";
    await call(kind);
    const before = snapshot();
    await expect(
      call(`${kind} --resource=false --controller-name other --owns batch/v1/Job`),
    ).rejects.toMatchObject({
      code: "INVALID_NAME",
      hint: "write this code by hand, and import one Job under another name",
    });
    expect(snapshot()).toEqual(before);
  });

  test.each([
    ["", "Next: define the fields of Order in its types file"],
    [" --template mysql", "Next: run the operator with its sample"],
    [" --image nginx", "Next: run the operator with its sample"],
  ])("with%s, the next step fits the types", async (template, next) => {
    const line = `create api --group shop --version v1 --kind Order --make=false${template}`;
    expect(await call(line)).toContain(next);
  });

  test("refuses a kind whose name and group are too long for a controller's name, and takes another one", async () => {
    await call("edit --multigroup");
    const line = `create api --group apps --version v1 --kind A${"b".repeat(58)} --make=false`;
    const before = snapshot();
    await expect(call(line)).rejects.toMatchObject({
      code: "INVALID_NAME",
      message: `the controller name "apps-a${"b".repeat(58)}" is not valid`,
      hint: expect.stringContaining("at most 63 characters, for example --controller-name") as string,
    });
    expect(snapshot()).toEqual(before);
    await call(`${line} --controller-name long`);
    expect(await call("manifests")).toContain("apps.example.com_");
  });

  test("--owns records the kinds with their full groups, and a deletion removes all that it scaffolded", async () => {
    const before = snapshot();
    await call(
      "create api --group shop --version v1 --kind Order --owns networking/v1/Ingress --owns v1/Pod",
    );
    expect(read("PROJECT")).toContain("owns:\n    - networking.k8s.io/v1/Ingress\n    - v1/Pod\n");
    expect(read("config/rbac/role.yaml")).toContain("- ingresses");
    expect(read("src/controller/order_controller.ts")).toContain(".owns(Ingress)\n    .owns(Pod)");
    expect(read("src/controller/order_resources.ts")).toContain("Desired<Ingress>");
    await call("delete api --group shop --version v1 --kind Order");
    expect(snapshot()).toEqual(before);
  });

  test.each(["Message", "Ready", "Events", "Key"])(
    "a variable for a %s is none that the scaffolded code has for something else",
    async (kind) => {
      await call(`create api --group shop --version v1 --kind ${kind} --owns v1/ConfigMap --make=false`);
      const name = kind.toLowerCase();
      const controller = read(`src/controller/${name}_controller.ts`);
      expect(controller).toContain(`const ${name}_ = await this.#client.find(${kind}, request);`);
      expect(controller).toContain(`events.warning(${name}_, reason, message);`);
      const written = read(`src/controller/${name}_controller.test.ts`);
      expect(written).toContain(`const ${name}_ = await client.get(${kind}, key);`);
    },
  );

  test("prefers the project's kinds to a built-in group of the same name", async () => {
    await call("create api --group apps --version v1 --kind Order");
    const webhook = "create webhook --group apps --version v1 --defaulting --kind";
    await expect(call(`${webhook} Ordre`)).rejects.toMatchObject({ hint: "did you mean --kind Order?" });
    await call(`${webhook} Deployment`);
    expect(existsSync(join(folder.root, "src/webhook/v1/deployment_defaulter.ts"))).toBe(true);
  });

  test("refuses a second group in one folder", async () => {
    await call("create api --group apps --version v1 --kind Order");
    await expect(call("create api --group crew --version v1 --kind Captain")).rejects.toMatchObject({
      code: "REFUSED",
      hint: expect.stringContaining("tsbuilder edit --multigroup") as string,
    });
  });

  test.each([
    ["--kind Order", "--kind OrderList", '"OrderList"'],
    ["--kind OrderList", "--kind Order", '"OrderList"'],
    ["--kind Order --short-name od", "--kind Odd --short-name od", '"od"'],
    ["--kind Order --short-name customer", "--kind Customer", '"customer"'],
    ["--kind Order", "--kind Sale --singular order", '"order"'],
    ["--kind Order", "--kind Sale --short-name orders", '"orders"'],
    ["--kind Order --plural sales", "--kind Sale", '"sales"'],
  ])("refuses names that must be unique in an API server: %s, then %s", async (first, second, name) => {
    await call(`create api --group apps --version v1 ${first}`);
    const before = snapshot();
    for (const version of ["v1", "v2"]) {
      const again = call(`create api --group apps --version ${version} ${second}`);
      await expect(again).rejects.toMatchObject({
        code: "ALREADY_EXISTS",
        message: expect.stringContaining(name) as string,
      });
    }
    expect(snapshot()).toEqual(before);
    await call("edit --multigroup");
    await call(`create api --group crew --version v1 ${second}`);
  });

  test("refuses controllers whose names collide", async () => {
    await call("create api --group apps --version v1 --kind Order");
    const again = "create api --group apps --version v1 --kind Order --resource=false";
    await expect(call(again)).rejects.toMatchObject({ code: "ALREADY_EXISTS" });
    await call(`${again} --controller-name order-backup`);
    await expect(call(`${again} --controller-name orderbackup`)).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
    });
  });

  test("overwrites files that the user edited with --force", async () => {
    await call("create api --group apps --version v1 --kind Order");
    const types = read("api/v1/order_types.ts");
    writeFileSync(join(folder.root, "api/v1/order_types.ts"), "mine");
    await call("create api --group apps --version v1 --kind Order --force");
    expect(read("api/v1/order_types.ts")).toBe(types);
    expect(read("src/main.ts").match(/setupOrderController\(manager\)/g)).toHaveLength(1);
  });

  test("shows the changes with --dry-run and --diff, without writing them", async () => {
    const before = snapshot();
    const line = "create api --group apps --version v1 --kind Order";
    expect(await call(`${line} --dry-run`)).toContain("create api/v1/order_types.ts");
    const diff = await call(`${line} --diff`);
    expect(diff).toContain("+++ b/api/v1/order_types.ts\n@@ -0,0 +1,");
    expect(diff).toContain("+setupOrderController(manager);");
    expect(snapshot()).toEqual(before);
  });

  test("prints the lines to paste if a marker is missing, and changes nothing", async () => {
    writeFileSync(
      join(folder.root, "src/main.ts"),
      read("src/main.ts").replace("// +tsbuilder:scaffold:setup\n", ""),
    );
    const before = snapshot();
    await expect(call("create api --group apps --version v1 --kind Order")).rejects.toMatchObject({
      code: "MARKER_MISSING",
      hint: expect.stringContaining("setupOrderController(manager);") as string,
    });
    expect(snapshot()).toEqual(before);
  });

  test("reports errors in the sources with their position, and changes nothing", async () => {
    await call("create api --group apps --version v1 --kind Order");
    writeFileSync(
      join(folder.root, "api/v1/order_types.ts"),
      `${read("api/v1/order_types.ts")}export interface X {\n`,
    );
    const before = snapshot();
    await expect(call("create api --group apps --version v1 --kind Bill")).rejects.toMatchObject({
      code: "INVALID_SOURCE",
      message: expect.stringContaining("api/v1/order_types.ts:") as string,
    });
    expect(snapshot()).toEqual(before);
  });

  test("suggests a built-in group", async () => {
    const line = "create api --group netwroking --version v1 --kind NetworkPolicy --resource=false";
    await expect(call(line)).rejects.toMatchObject({ hint: "did you mean --group networking?" });
  });

  test.each([
    ["--group rbac --version v1 --kind Role --resource=false", "did you mean --group rbac.authorization?"],
    ["--group cert.io --version v1 --kind Certificate --resource=false", "--crd FILE"],
    [
      "--group apps --version v2 --kind Order",
      "one controller does for all versions of a kind: add --controller=false",
    ],
  ])("hints at what create api %s lacks", async (flags, hint) => {
    await call("create api --group apps --version v1 --kind Order --make=false");
    await expect(call(`create api ${flags}`)).rejects.toMatchObject({
      hint: expect.stringContaining(hint) as string,
    });
  });

  test("finds plural and scope of a built-in kind", async () => {
    await call("create api --group networking --version v1 --kind NetworkPolicy --resource=false");
    const controller = read("src/controller/networkpolicy_controller.ts");
    expect(controller).toContain(`from "@tsbuilder/runtime/k8s/networking/v1";`);
    expect(controller).toContain("groups=networking.k8s.io,resources=networkpolicies,verbs");
  });

  test.each([
    ["--image nginx: ", `"nginx:" is not a valid image reference`],
    ["--template deploy-image", `the template "deploy-image" needs --image`],
    ["--image nginx --image-container-port 0", `the port "0" is not valid`],
    ["--image nginx --run-as-user folder.root", `the user "folder.root" is not valid`],
    ["--template appservice --image nginx", `--image is not valid for the template "appservice"`],
    ["--run-as-user 1", "--run-as-user is not valid for a skeleton"],
    ["--image nginx --controller=false", "--template scaffolds types and a controller"],
    ["--template mysql --cluster-scoped", "a cluster-scoped kind has none"],
    ["--image nginx --namespaced=false", "a cluster-scoped kind has none"],
  ])("refuses %s", async (flags, message) => {
    const line = `create api --group apps --version v1 --kind Web ${flags.trim()}`;
    await expect(call(line)).rejects.toThrow(message);
  });

  test.each(["nginx", "nginx:1.29", `localhost:5000/nginx@sha256:${"0".repeat(64)}`])(
    "scaffolds an operator for the image %s",
    async (image) => {
      await call(
        `create api --group apps --version v1 --kind Web --image ${image} --image-container-port 80`,
      );
      expect(read("config/crd/bases/apps.example.com_webs.yaml")).toContain(`default: ${image}\n`);
    },
  );

  test("imports an external kind from an npm package", async () => {
    await call(
      "create api --group cert-manager --external-domain io --version v1 --kind Certificate --resource=false --external-module @example/cert-manager --make=false",
    );
    expect(read("src/controller/certificate_controller.ts")).toContain(
      `import { Certificate } from "@example/cert-manager";`,
    );
  });

  test.each(["github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1", "k8s.io/api/apps/v1"])(
    "refuses the Go package %s as an external kind's module",
    async (module) => {
      const flags = `--group certs --version v1 --kind Certificate --resource=false --external-module ${module}`;
      await expect(call(`create api ${flags}`)).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        hint: expect.stringMatching(/^use --crd /u) as string,
      });
    },
  );

  test("generates types from a CRD file, and deletes them again", async () => {
    const before = snapshot();
    writeDefinition();
    const line = "--group cert-manager.io --version v1 --kind Certificate";
    await call(`create api ${line} --resource=false --crd ${crdFile}`);
    expect(read("src/types/cert-manager.io/v1/certificate_types.ts")).toContain("secretName: string");
    const controller = read("src/controller/certificate_controller.ts");
    expect(controller).toContain(
      `import { Certificate } from "../types/cert-manager.io/v1/certificate_types.ts";`,
    );
    expect(controller).toContain("groups=cert-manager.io,resources=certificates,verbs");
    expect(read("src/controller/certificate_controller.test.ts")).toContain("setupCertificateController");
    expect(read("vitest.config.ts")).not.toContain("passWithNoTests");
    expect(existsSync(join(folder.root, "config/crd"))).toBe(false);
    await call(`delete api ${line}`);
    expect(snapshot()).toEqual(before);
  });

  test("lists the versions and kinds of a CRD file that lacks the requested one", async () => {
    writeDefinition();
    const line = `--resource=false --crd ${crdFile} --group cert-manager.io`;
    await expect(call(`create api ${line} --version v2 --kind Certificate`)).rejects.toMatchObject({
      hint: "it has --version v1",
    });
    await expect(call(`create api ${line} --version v1 --kind Issuer`)).rejects.toMatchObject({
      hint: "it has --kind Certificate",
    });
  });

  test("adds fifty kinds to one project", async () => {
    for (let i = 0; i < 50; i++)
      await call(`create api --group apps --version v1 --kind Kind${i} --make=false`);
    expect(read("src/main.ts").match(/setupKind\d+Controller\(manager\)/g)).toHaveLength(50);
  });
});

const crdFile = join(tmpdir(), `tsbuilder-crd-${process.pid}.yaml`);
afterEach(() => rmSync(crdFile, { force: true }));

/** The CRD of a third-party kind, next to the project. */
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
  writeFileSync(crdFile, JSON.stringify(crd));
}
