import { expect, test } from "vitest";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";

const { call, initialize } = useProjectFolder();

test("a conversion names the version that is stored, if that is not its hub", async () => {
  await initialize();
  await call("create api --group apps --version v1 --kind Order --make=false");
  await call("create api --group apps --version v2 --kind Order --make=false --controller=false");
  const convert = "create webhook --group apps --kind Order --conversion --make=false --dry-run";
  expect(await call(`${convert} --version v2 --spoke v1`)).toContain(
    "Order is stored as v1. To store the hub, move +kubebuilder:storageversion from api/v1/order_types.ts to api/v2/order_types.ts",
  );
  expect(await call(`${convert} --version v1 --spoke v2`)).not.toContain("is stored as");
});

test("of a kind that is created later, whose group Kubernetes has, too, names the command that creates it", async () => {
  await initialize();
  const kind = "--group apps --version v1 --kind MySQL";
  await expect(call(`create webhook ${kind} --defaulting`)).rejects.toMatchObject({
    code: "NOT_FOUND",
    hint: expect.stringMatching(
      `^it has ControllerRevision, .*; to add a kind of your own: tsbuilder create api ${kind}$`,
    ) as string,
  });
  await expect(
    call("create webhook --group apps --version v2 --kind Deployment --defaulting"),
  ).rejects.toMatchObject({ hint: "it is in --version v1" });
});

test("names the versions that a kind's hub does not convert yet", async () => {
  await initialize();
  const kind = "--group apps --kind Order";
  for (const version of ["v1", "v2", "v3"])
    await call(`create api ${kind} --version ${version} --controller=${version === "v1"} --make=false`);
  const convert = `create webhook ${kind} --make=false --conversion`;
  await call(`${convert} --version v2 --spoke v1`);
  await expect(call(`${convert} --version v1 --spoke v2`)).rejects.toMatchObject({
    code: "ALREADY_EXISTS",
    hint: "it converts v1 already",
  });
  await expect(call(`${convert} --version v1 --spoke v2,v3`)).rejects.toMatchObject({
    hint: "add the spokes there: --version v2 --conversion --spoke v3",
  });
});
