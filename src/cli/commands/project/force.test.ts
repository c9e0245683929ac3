import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";

const folder = useProjectFolder();
const { call, initialize, snapshot } = folder;

const order = "--version v1 --kind Order";
const ofApps = { types: "api/apps/v1/order_types.ts", webhooks: "src/webhook/apps/v1/order_" };
const controller = (name: string): string[] => [
  `src/controller/apps/${name}_controller.test.ts`,
  `src/controller/apps/${name}_controller.ts`,
];
const webhook = (role: string): string[] => [
  `${ofApps.webhooks}${role}.test.ts`,
  `${ofApps.webhooks}${role}.ts`,
];

test.each<[command: string, overwritten: string[]]>([
  [
    `create api --group apps ${order}`,
    [
      ofApps.types,
      "config/samples/apps_v1_order.yaml",
      "src/controller/apps/order_explore.test.ts",
      ...controller("order"),
    ],
  ],
  [
    `create api --group apps ${order} --controller=false`,
    [ofApps.types, "config/samples/apps_v1_order.yaml"],
  ],
  [
    `create api --group apps ${order} --resource=false --controller-name order-backup`,
    controller("order_backup"),
  ],
  [`create webhook --group apps ${order} --defaulting`, webhook("defaulter")],
  [`create webhook --group apps ${order} --programmatic-validation`, webhook("validator")],
  ["create webhook --group apps --version v2 --kind Order --conversion --spoke v1", webhook("conversion")],
])("%s --force overwrites only the files that it names", async (command, overwritten) => {
  await initialize();
  await call("edit --multigroup");
  for (const group of ["apps", "crew"]) {
    await call(`create api --group ${group} ${order} --make=false`);
    for (const version of ["v2", "v3"])
      await call(
        `create api --group ${group} --version ${version} --kind Order --controller=false --make=false`,
      );
    await call(
      `create api --group ${group} ${order} --resource=false --controller-name ${group === "apps" ? "order-backup" : "crew-backup"} --make=false`,
    );
    await call(
      `create webhook --group ${group} ${order} --defaulting --programmatic-validation --make=false`,
    );
    await call(
      `create webhook --group ${group} --version v2 --kind Order --conversion --spoke v1,v3 --make=false`,
    );
  }
  const yours = Object.keys(snapshot()).filter((path) =>
    /^(?:api|src|config\/samples)\/.*\.(?:ts|yaml)$/u.test(path),
  );
  for (const path of yours) {
    const comment = path.endsWith(".ts") ? "// mine" : "# mine";
    writeFileSync(join(folder.root, path), `${readFileSync(join(folder.root, path), "utf8")}${comment}\n`);
  }
  await call(`${command} --force --make=false`);
  const after = snapshot();
  expect(yours.filter((path) => !after[path]?.includes(" mine\n")).sort()).toEqual(overwritten.sort());
});

test("create api --force merges its lines into a file of all kinds, and keeps what was written there", async () => {
  await initialize();
  const config = join(folder.root, "vitest.config.ts");
  writeFileSync(config, `// mine\n${readFileSync(config, "utf8")}`);
  await call(`create api --group apps ${order} --force --make=false`);
  expect(readFileSync(config, "utf8")).toMatch(/^\/\/ mine\n/u);
  expect(readFileSync(config, "utf8")).not.toContain("passWithNoTests");
});
