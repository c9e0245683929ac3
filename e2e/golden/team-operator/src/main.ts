/*
 * Copyright The platform team.
 * All rights reserved.
 */

import { Manager } from "@tsbuilder/runtime";
import { setupWorkspaceController } from "./controller/workspace_controller.ts";
import { setupWorkspaceDefaulter } from "./webhook/v1/workspace_defaulter.ts";
import { setupWorkspaceValidator } from "./webhook/v1/workspace_validator.ts";
import { setupTenantController } from "./controller/tenant_controller.ts";
// +tsbuilder:scaffold:imports

// The library provides flags (`npm run build && npm start -- --help`), probes, metrics, leader election and TLS.
const manager = Manager.fromArgs({
  name: "team-operator",
  leaderElectionId: "acb11153.example.com",
});

setupWorkspaceController(manager);
setupWorkspaceDefaulter(manager);
setupWorkspaceValidator(manager);
setupTenantController(manager);
// +tsbuilder:scaffold:setup

// Resolves after SIGTERM, once running reconciles have finished.
await manager.start();
