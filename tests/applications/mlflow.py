"""MLflow: experiments, runs, searches and artifacts by its client, and its pages."""

import os
import subprocess

import harness

CLIENT = """
import mlflow, pathlib, sys
from mlflow.tracking import MlflowClient
special = sys.argv[1] == "special"
client = MlflowClient()
if not special:
    mlflow.set_experiment("Tea & 'biscuits' (1/2)")
    for depth in range(3):
        with mlflow.start_run(run_name=f"it's run #{depth}; select", tags={"note": "drop in -- 1 = 1", "who": "O'Brien"}):
            mlflow.log_params({"depth": depth, "loss": "squared_error", "features": "['a', 'b']", "url": "https://example.org/?a=1&b=2"})
            mlflow.log_metrics({"rmse": 1.0 / (depth + 1), "r2 score": 0.9}, step=depth)
            mlflow.log_text("name;value\\nO'Brien;1 = 1\\n", "table.csv")
            mlflow.log_dict({"a": [1, 2], "b": "it's"}, "folder/settings.json")
    client.set_experiment_tag("1", "mlflow.note.content", "## What's on\\n* see [here](https://example.org/?a=1&b=2) -- select the best; drop the rest")
    for query in ("metrics.rmse < 0.6 and params.depth = '2'", "tags.who = \\"O'Brien\\"", "params.loss LIKE '%error%' AND metrics.rmse >= 0.1"):
        mlflow.search_runs(experiment_names=["Tea & 'biscuits' (1/2)"], filter_string=query, order_by=["metrics.rmse DESC"])
    client.search_experiments(filter_string="name ILIKE '%tea%'")
    run = client.search_runs(["1"])[0]
    client.list_artifacts(run.info.run_id)
    mlflow.artifacts.load_text(f"runs:/{run.info.run_id}/table.csv")
    client.create_registered_model("tea-model", description="It's the best one")
    client.create_model_version("tea-model", f"runs:/{run.info.run_id}/model", run.info.run_id)
    client.set_registered_model_alias("tea-model", "champion", "1")
else:
    with mlflow.start_run(run_name="listing"):
        mlflow.log_param("query", "SELECT name FROM users WHERE id='1' OR '1'='1' UNION SELECT password FROM admins --")
        mlflow.log_text("import os; os.system('cat /etc/passwd | sh')\\n", "train.py")
        mlflow.log_text("<script>alert(document.cookie)</script>", "report.html")
"""


def start(place):
    port = harness.port()
    command = [PROGRAMS / "mlflow", "server", "--host", "127.0.0.1", "--port", port, "--workers", "1", "--backend-store-uri", f"sqlite:///{place.folder}/mlflow.db",
               "--artifacts-destination", place.folder / "artifacts"]
    place.start(command, "mlflow", env={**os.environ, "PATH": f"{PROGRAMS}:{os.environ['PATH']}"}, cwd=place.folder)
    harness.answers(f"http://127.0.0.1:{port}/health", only_success=True)
    return port


def client(run, kind):
    environment = {**os.environ, "MLFLOW_TRACKING_URI": run.url, "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "0"}
    done = subprocess.run([PROGRAMS / "python", "-c", CLIENT, kind], env=environment, capture_output=True, text=True, timeout=180, cwd=run.place.folder)
    assert done.returncode == 0, done.stderr.strip().splitlines()[-1]


def drive(run):
    with run.step("the client: runs, parameters, metrics, files, searches, models"):
        client(run, "plain")
    with harness.browser(run) as page:
        with run.step("pages: experiments, runs, models"):
            for address in ("/", "/#/experiments/1", "/#/experiments/1?searchFilter=metrics.rmse%20%3C%201%20and%20params.depth%20%3D%20%272%27&orderByKey=metrics.%60rmse%60", "/#/models", "/#/models/tea-model", "/#/compare-runs?experiments=[\"1\"]"):
                page.goto("about:blank")
                harness.visit(page, address)
                page.wait_for_selector("#root *, main")
                page.wait_for_timeout(1500)
    with run.step("the client: a parameter of SQL, a script and a page of HTML as files", special=True):
        client(run, "special")


if __name__ == "__main__":
    PROGRAMS = harness.pypi("mlflow", "mlflow")
    harness.debian("chromium")
    harness.measure("mlflow", "MLflow", "PyPI package `mlflow`", harness.pypi_version(PROGRAMS, "mlflow"), start, drive, use=["mlflow"])
