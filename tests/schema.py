#!/usr/bin/env python3
"""The published JSON Schema against a maintained validator: what it says of a policy is what `haccess policy check` says.

    schema.py HACCESS SCHEMA
"""
import json, os, subprocess, sys, tempfile
from jsonschema import Draft202012Validator

haccess, schema = os.path.abspath(sys.argv[1]), json.load(open(sys.argv[2]))
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)


def within(path, value):
    for key in reversed(path.split(".")):
        value = {key: value}
    return value


FLOORS = "workflow.workerFullAccess.floors"
policies = [{}, [], 0, "x", None, True, {"mode": "observe", "servers": "refuse"}, {"$schema": "x"}]
values = [None, True, False, 0, 1, "", "x", "enforce", "observe", "refuse", "allow", "read-only", "flags", "/x", " ",
          [], ["x"], ["/x"], ["x", 0], [""], {}, {"x": 1}, {"*": []}, {"*": ["a"]}, {"*": [1]}, {"*": "a"}]
paths = ["mode", "workflow", "workflow.workerFullAccess", "workflow.workerFullAccess.enabled", FLOORS, "workflow.lanes",
         "workflow.lanes.write", "workflow.lanes.write.sandbox", "workflow.lanes.write.claude", "workflow.lanes.read",
         "workflow.lanes.read.claudeAllow", "workflow.lanes.read.claudeDeny", "workflow.workers",
         "workflow.inProcessAgents", "servers", "notVendors", "journal", "journal.argv", "Mode", "workflow.x"]
policies += [within(path, value) for path in paths for value in values]
models = ["", " ", "\t\n", "m", " m "]
efforts = [None, "", "low", "high", "max", "none", 1]
for adapter in ["codex", "claude-code", "cursor", "opencode", "gemini", "other"]:
    for model in models:
        for effort in efforts:
            entry = {"model": model} | ({} if effort is None else {"minEffort": effort})
            policies.append(within(f"{FLOORS}.{adapter}", [entry]))
    policies += [within(f"{FLOORS}.{adapter}", v) for v in values]
    for extra in [{"provider": "p"}, {"provider": ""}, {"x": 1}]:
        policies.append(within(f"{FLOORS}.{adapter}", [{"model": "m", "minEffort": "high"} | extra]))
        policies.append(within(f"{FLOORS}.{adapter}", [{"model": "m"} | extra]))

wrong = 0
with tempfile.TemporaryDirectory() as top:
    os.makedirs(f"{top}/home")
    os.makedirs(f"{top}/project/.haccess")
    env = {"HOME": f"{top}/home", "PATH": os.environ["PATH"]}
    for policy in policies:
        with open(f"{top}/project/.haccess/policy.json", "w") as f:
            json.dump(policy, f)
        os.chmod(f"{top}/project/.haccess/policy.json", 0o644)
        run = subprocess.run([haccess, "policy", "check", f"{top}/project"], env=env, capture_output=True, text=True)
        if (run.returncode == 0) != validator.is_valid(policy):
            wrong += 1
            print(f"{json.dumps(policy)}: the schema says {validator.is_valid(policy)}, haccess: {run.stdout}{run.stderr}")
print(f"schema.py: {len(policies)} policies, {wrong} on which schema and haccess differ")
sys.exit(wrong != 0)
