/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type Condition,
  type CustomResource,
  defineKind,
  type int32,
  type int64,
  type Quantity,
  type Time,
} from "@tsbuilder/runtime";
import type {
  LocalObjectReference,
  ResourceRequirements,
  Toleration,
  TopologySpreadConstraint,
} from "@tsbuilder/runtime/k8s/core/v1";
import type { NetworkPolicyPeer } from "@tsbuilder/runtime/k8s/networking/v1";
import { groupVersion } from "./groupversion_info.ts";

/**
 * MariaSpec is what the user asks for.
 * A rule on a field is not evaluated when the field is removed, so immutability is checked here.
 * +kubebuilder:validation:XValidation:rule="!(has(self.password) && has(self.passwordSecretRef))",message="password and passwordSecretRef are mutually exclusive"
 * +kubebuilder:validation:XValidation:rule="!has(oldSelf.database) || (has(self.database) && self.database == oldSelf.database)",message="database is immutable once set"
 * +kubebuilder:validation:XValidation:rule="has(self.restoreFrom) == has(oldSelf.restoreFrom) && (!has(self.restoreFrom) || self.restoreFrom == oldSelf.restoreFrom)",message="restoreFrom can only be set on creation, and is immutable"
 * +kubebuilder:validation:XValidation:rule="has(self.tls) || !has(oldSelf.tls) || !has(oldSelf.tls.required) || !oldSelf.tls.required",message="tls can only be removed once tls.required is false"
 * +kubebuilder:validation:XValidation:rule="!has(self.primary) || !has(self.size) || self.size == 0 || self.primary < self.size",message="primary must be less than size"
 */
export interface MariaSpec {
  /**
   * Image of the server. This operator is tested with MariaDB 10.11; with MySQL's own images, replicas don't become ready.
   * +kubebuilder:default="mariadb:10.11"
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=512
   */
  image?: string;
  /** +kubebuilder:default=IfNotPresent */
  imagePullPolicy?: "Always" | "IfNotPresent" | "Never";
  /**
   * Secrets to pull the image with.
   * +kubebuilder:validation:MaxItems=16
   * +listType=map
   * +listMapKey=name
   */
  imagePullSecrets?: LocalObjectReference[];
  /**
   * User of the application. With root, only root's password is set.
   * +kubebuilder:default=app
   * +kubebuilder:validation:Pattern=`^[A-Za-z_][A-Za-z0-9_]{0,31}$`
   * +kubebuilder:validation:MaxLength=32
   * +kubebuilder:validation:XValidation:rule="!self.startsWith('operator_') && !(self in ['mysql', 'mariadb.sys', 'mysql.sys'])",message="this user name is reserved for the server or the operator"
   * +kubebuilder:validation:XValidation:rule="self == oldSelf",message="username is immutable"
   */
  username?: string;
  /**
   * Password of the user, readable by everyone who may read this object: prefer passwordSecretRef.
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=128
   * +kubebuilder:validation:Pattern=`^[^\r\n]*$`
   */
  password?: string;
  /** Secret with the user's password. Default: a generated password. */
  passwordSecretRef?: SecretKeyRef;
  /** Secret with the password of root. Default: a generated password. */
  rootPasswordSecretRef?: SecretKeyRef;
  /**
   * How long a password that was replaced stays valid.
   * +kubebuilder:default=3600
   * +kubebuilder:validation:Minimum=300
   */
  passwordGraceSeconds?: int32;
  /**
   * Database to create for the user, and to back up. Default: all databases except the server's own.
   * +kubebuilder:validation:Pattern=`^[A-Za-z0-9_]{1,64}$`
   * +kubebuilder:validation:MaxLength=64
   * +kubebuilder:validation:XValidation:rule="!(self.lowerAscii() in ['mysql', 'sys', 'information_schema', 'performance_schema'])",message="this database name is reserved for the server"
   */
  database?: string;
  /** Certificate of the servers. Default: none, and connections are not encrypted. */
  tls?: Tls;
  /**
   * Number of servers: one primary, the rest replicas. 0 stops them and keeps the data.
   * +kubebuilder:default=1
   * +kubebuilder:validation:Minimum=0
   * +kubebuilder:validation:Maximum=5
   */
  size?: int32;
  /**
   * Number of the server that is the primary, from 0. A change switches over, and writes fail for some seconds. Wait some
   * minutes before the next change: two in a row can leave two primaries, and lose writes. Default: the current primary.
   * +kubebuilder:validation:Minimum=0
   */
  primary?: int32;
  /** +kubebuilder:default={} */
  storage?: Storage;
  /** +kubebuilder:default={requests: {cpu: "100m", memory: "256Mi"}, limits: {memory: "512Mi"}} */
  resources?: ResourceRequirements;
  /**
   * Labels of the nodes that servers may run on.
   * +kubebuilder:validation:MaxProperties=16
   */
  nodeSelector?: Record<string, string>;
  /**
   * Taints of nodes that servers may run on nevertheless.
   * +kubebuilder:validation:MaxItems=16
   */
  tolerations?: Toleration[];
  /**
   * How servers are spread over zones. They are kept on different nodes where possible, anyway.
   * +kubebuilder:validation:MaxItems=8
   * +listType=map
   * +listMapKey=topologyKey
   * +listMapKey=whenUnsatisfiable
   */
  topologySpreadConstraints?: TopologySpreadConstraint[];
  /**
   * Time for a server to shut down before it is killed: a large buffer pool takes longer to write.
   * +kubebuilder:default=300
   * +kubebuilder:validation:Minimum=1
   */
  terminationGracePeriodSeconds?: int64;
  /**
   * Settings for my.cnf, except those that replication and the operator depend on. Defaults: character_set_server
   * utf8mb4, sync_binlog 1, max_binlog_size 64M, and binlog_expire_logs_seconds three days.
   * +kubebuilder:validation:MaxProperties=64
   * +kubebuilder:validation:XValidation:rule="self.all(name, name.matches('^[a-z][a-z0-9_-]{0,63}$'))",message="names of settings have lowercase letters, digits, _ and -"
   * +kubebuilder:validation:XValidation:rule="!self.exists(name, name.replace('-', '_').startsWith('gtid_') || name.replace('-', '_') in ['server_id', 'datadir', 'socket', 'port', 'log_bin', 'read_only', 'super_read_only', 'secure_file_priv', 'init_file'])",message="the operator sets server_id, datadir, socket, port, log_bin, gtid_*, read_only, super_read_only, secure_file_priv and init_file"
   */
  config?: Record<string, ConfigValue>;
  /**
   * Schedule of the backups in cron format. Default: no backups.
   * +kubebuilder:validation:MaxLength=128
   */
  // +kubebuilder:validation:Pattern=`^(@(hourly|daily|midnight|weekly|monthly|yearly|annually)|[0-9A-Za-z*/,?-]+( [0-9A-Za-z*/,?-]+){4})$`
  backupSchedule?: string;
  /**
   * Time zone of the schedule, such as Europe/Berlin.
   * +kubebuilder:validation:MaxLength=64
   */
  backupTimeZone?: string;
  /**
   * Path at which the backup volume is mounted.
   * +kubebuilder:default="/backups"
   * +kubebuilder:validation:MaxLength=256
   * +kubebuilder:validation:Pattern=`^(/[^/:\r\n]+)+$`
   * +kubebuilder:validation:XValidation:rule="!self.contains('..') && !self.contains('/./')",message="backupPath must not contain . or .."
   * +kubebuilder:validation:XValidation:rule="['/var/lib/mysql', '/etc/mysql-operator', '/run/mysqld', '/tmp'].all(taken, self != taken && !self.startsWith(taken + '/'))",message="backupPath must be outside of /var/lib/mysql, /etc/mysql-operator, /run/mysqld and /tmp"
   */
  backupPath?: string;
  /** +kubebuilder:default={} */
  backup?: Backup;
  /** Backup of another MySQL in this namespace to start from. Its databases keep their names. */
  restoreFrom?: RestoreFrom;
  /** +kubebuilder:default={} */
  service?: ServiceTemplate;
  /**
   * Who reaches the servers, besides one another and the operator's Jobs, by a NetworkPolicy. Default: everybody.
   * +kubebuilder:validation:MaxItems=64
   */
  clients?: NetworkPolicyPeer[];
  /**
   * Maximum lag of a ready replica; 0 means no limit.
   * +kubebuilder:default=60
   * +kubebuilder:validation:Minimum=0
   */
  maxReplicaLagSeconds?: int32;
  /**
   * What happens to the servers' volumes and the passwords when this object is deleted. Backups have their own policy.
   * +kubebuilder:default=Retain
   */
  deletionPolicy?: "Retain" | "Delete";
  /** Pauses reconciliation: the status is kept up to date, and nothing else is changed. */
  paused?: boolean;
}

/** SecretKeyRef selects a key of a Secret. */
export interface SecretKeyRef {
  name: SecretName;
  /** +kubebuilder:default=password */
  key?: SecretName;
}

/**
 * SecretName is the name of a Secret, or of one of its keys.
 * +kubebuilder:validation:MinLength=1
 * +kubebuilder:validation:MaxLength=253
 */
export type SecretName = string;

/** Tls selects the certificate of the servers. */
export interface Tls {
  /** Secret with tls.crt, tls.key and ca.crt, as cert-manager writes it. The certificate must be valid for each server. */
  secret: SecretName;
  /** Refuses all connections without TLS. */
  required?: boolean;
}

/**
 * ConfigValue is the value of a setting in my.cnf.
 * +kubebuilder:validation:MaxLength=1024
 * +kubebuilder:validation:Pattern=`^[^\r\n]*$`
 */
export type ConfigValue = string;

/**
 * Storage is the volume of each server.
 * +kubebuilder:validation:XValidation:rule="has(self.className) == has(oldSelf.className) && (!has(self.className) || self.className == oldSelf.className)",message="className is immutable"
 */
export interface Storage {
  /**
   * Size of the volume for the data and the binary logs of the last days. It can only grow.
   * +kubebuilder:default="1Gi"
   * +kubebuilder:validation:XValidation:rule="quantity(string(self)).compareTo(quantity(string(oldSelf))) >= 0",message="storage can't shrink"
   */
  size?: Quantity;
  /** +kubebuilder:validation:MaxLength=253 */
  className?: string;
}

/** Backup configures how many backups are kept, and where. */
export interface Backup {
  /**
   * Number of backups to keep.
   * +kubebuilder:default=7
   * +kubebuilder:validation:Minimum=1
   * +kubebuilder:validation:Maximum=365
   */
  keep?: int32;
  /**
   * Size of the backup volume. It can only grow.
   * +kubebuilder:default="1Gi"
   */
  storageSize?: Quantity;
  /**
   * What happens to the backup volume when this object is deleted with deletionPolicy Delete.
   * +kubebuilder:default=Retain
   */
  deletionPolicy?: "Retain" | "Delete";
  /** Suspends the backup schedule. */
  suspend?: boolean;
}

/** RestoreFrom selects a backup. */
export interface RestoreFrom {
  /**
   * Name of the MySQL that was backed up.
   * +kubebuilder:validation:MinLength=1
   * +kubebuilder:validation:MaxLength=40
   */
  name: string;
  /**
   * File name of the backup, or latest for the newest one.
   * +kubebuilder:default=latest
   * +kubebuilder:validation:Pattern=`^[A-Za-z0-9._-]+$`
   * +kubebuilder:validation:MaxLength=253
   */
  file?: string;
}

/** ServiceTemplate configures the Service of the primary. */
export interface ServiceTemplate {
  /** +kubebuilder:default=ClusterIP */
  type?: "ClusterIP" | "NodePort" | "LoadBalancer";
  /** +kubebuilder:validation:MaxProperties=32 */
  annotations?: Record<string, string>;
}

/** MariaStatus is what the controller observed. */
export interface MariaStatus {
  observedGeneration?: int64;
  /** Number of running servers. */
  replicas?: int32;
  /** Number of ready servers. */
  readyReplicas?: int32;
  /** Number of servers that run the current spec. */
  updatedReplicas?: int32;
  /** Label selector of the servers' pods, for autoscalers. */
  selector?: string;
  /** Pod of the primary. */
  primary?: string;
  /** The history of the data that is the truth: replicas with another one become copies of the primary. */
  history?: string;
  /** Address for reads and writes. */
  endpoint?: string;
  /** Address for reads. */
  readEndpoint?: string;
  storageSize?: Quantity;
  /** Completion time of the last successful backup. */
  lastBackupTime?: Time;
  lastBackup?: LastBackup;
  conditions?: Condition[];
}

/** LastBackup is the result of the last backup job. */
export interface LastBackup {
  job?: string;
  completionTime?: Time;
  result?: "Succeeded" | "Failed";
  /** Pod of the server that was dumped. */
  server?: string;
  /** GTID position of that server, on MariaDB. */
  gtid?: string;
}

/**
 * Maria is a MariaDB server with asynchronous replicas and backups.
 * +kubebuilder:resource:singular=mysql,categories=all
 * +kubebuilder:storageversion
 * +kubebuilder:subresource:status
 * +kubebuilder:subresource:scale:specpath=.spec.size,statuspath=.status.replicas,selectorpath=.status.selector
 * +kubebuilder:printcolumn:name="Size",type=integer,JSONPath=`.spec.size`
 * +kubebuilder:printcolumn:name="Ready",type=integer,JSONPath=`.status.readyReplicas`
 * +kubebuilder:printcolumn:name="Available",type=string,JSONPath=`.status.conditions[?(@.type=="Available")].status`
 * +kubebuilder:printcolumn:name="Last-Backup",type=date,JSONPath=`.status.lastBackupTime`
 * +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
 * +kubebuilder:printcolumn:name="Primary",type=string,JSONPath=`.status.primary`,priority=1
 * +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.spec.image`,priority=1
 * +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 40",message="metadata.name must have at most 40 characters"
 * +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",message="metadata.name must be a valid Service name: lowercase letters, digits and dashes, starting with a letter"
 */
export interface Maria extends CustomResource<MariaSpec, MariaStatus> {}
export const Maria = defineKind<Maria>(groupVersion, { kind: "Maria", plural: "maria" });
