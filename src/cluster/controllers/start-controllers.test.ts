import { expect, test } from "vitest";
import { startTestCluster } from "@tsbuilder/cluster/testing";

test.each([["all" as unknown as []], [["replicasets"] as unknown as []]])(
  "controllers %j, which are no list of names, are rejected with what to write",
  async (controllers) => {
    await expect(startTestCluster({ controllers })).rejects.toThrow(
      /^controllers is a list of names, without "(all|replicasets)": write controllers: \[/,
    );
  },
);
