/*
 * Copyright The platform team.
 * All rights reserved.
 */

import { Manager } from "@tsbuilder/runtime";
import { setupWorkspaceController } from "./controller/workspace_controller.ts";
import { setupWorkspaceDefaulter } from "./webhook/v1/workspace_defaulter.ts";
import { setupWorkspaceValidator } from "./webhook/v1/workspace_validator.ts";
// +tsbuilder:scaffold:imports

// Flags, probes, metrics, leader election and TLS are the library's: `npm run run -- -- --help` lists them.
const manager = Manager.fromArgs({
  name: "team-operator",
  leaderElectionId: "acb11153.example.com",
});

setupWorkspaceController(manager);
setupWorkspaceDefaulter(manager);
setupWorkspaceValidator(manager);
// +tsbuilder:scaffold:setup

// Ends after SIGTERM, once the work in hand is done.
await manager.start();
