"""Calls in the shape of Grafana's interface, before a server that answers everything."""

import urllib.parse

import calls
import harness

SQL = "SELECT $__timeGroup(time, '5m') AS time, host, avg(value) FROM cpu WHERE $__timeFilter(time) AND host IN ('a','b') OR 1=1 GROUP BY 1, 2 UNION SELECT 1, user, 2 FROM pg_user -- all"
PROMETHEUS = "sum by (job) (rate(http_requests_total{code=~\"5..\", path!~\"/health|/ready\"}[5m])) / 1024 > 0.5 or vector(0)"
LOKI = "{app=\"shop\", env=~\"prod|test\"} |= \"error\" | json | line_format \"{{.msg}}\" != `select * from`"
TEXT = "## It's our board\n\n* [Runbook](https://example.org/?a=1&b=2) -- drop by; select a host"
TARGETS = {"prometheus": {"expr": PROMETHEUS, "format": "time_series"}, "loki": {"expr": LOKI, "queryType": "range"}}


def query(target):
    return {"queries": [{"refId": "A", "datasource": {"type": "x", "uid": "P1"}, "intervalMs": 15000, "maxDataPoints": 800, **target}], "from": "now-6h", "to": "now"}


def board(text, targets):
    return {"dashboard": {"id": None, "uid": "cIBgcSjkk", "title": "Shop & 'orders'", "tags": ["prod"], "timezone": "browser", "schemaVersion": 38, "refresh": "30s",
                          "panels": [{"id": 1, "type": "text", "title": "Read me", "options": {"mode": "markdown", "content": text}, "gridPos": {"h": 8, "w": 12, "x": 0, "y": 0}},
                                     {"id": 2, "type": "timeseries", "title": "Errors > 0.5 %", "targets": targets, "fieldConfig": {"defaults": {"unit": "reqps"}}}],
                          "templating": {"list": [{"name": "host", "type": "query", "query": "label_values(up{job=\"node\"}, instance)", "regex": "/^(.*):\\d+$/"}]}},
            "folderId": 0, "message": "It's better; see #12 & #13", "overwrite": True}


def drive(run):
    def call(method, path, body=None, **headers):
        return calls.call(run, method, path, body, {"X-Grafana-Org-Id": "1", **headers})

    with run.step("log in, search, read boards"):
        call("POST", "/login", {"user": "ann", "password": "staple; 'horse' -- 1=1"})
        for path in ("/api/search?query=O%27Brien&tag=prod&sort=name_sort&limit=50", "/api/dashboards/uid/cIBgcSjkk", "/api/datasources", "/api/user/preferences",
                     "/d/cIBgcSjkk/shop?orgId=1&from=now-6h&to=now&var-host=web-01:9100&var-host=$__all&refresh=30s&viewPanel=2", "/api/live/ws", "/api/annotations?from=1763850000000&to=1763890000000&matchAny=false&dashboardId=1"):
            call("GET", path)
    with run.step("queries in PromQL and LogQL"):
        for target in TARGETS.values():
            call("POST", "/api/ds/query?ds_type=prometheus&requestId=Q100", query(target))
        for name, expression in (("query_range", PROMETHEUS), ("query", "up{job=\"node\"} == 0")):
            fields = urllib.parse.urlencode({"query": expression, "start": "1763850000", "end": "1763890000", "step": "15"})
            call("POST", f"/api/datasources/uid/P1/resources/api/v1/{name}", fields, **{"Content-Type": "application/x-www-form-urlencoded"})
            call("GET", f"/api/datasources/proxy/1/api/v1/{name}?{fields}")
        call("GET", "/api/datasources/uid/P1/resources/api/v1/series?" + urllib.parse.urlencode({"match[]": "{__name__=~\"http_.*\",job!=\"\"}"}))
    with run.step("save boards, alerts, annotations"):
        call("POST", "/api/dashboards/db", board(TEXT, list(TARGETS.values())))
        call("POST", "/api/annotations", {"dashboardId": 1, "time": 1763850000000, "tags": ["deploy"], "text": "It's deployed: <b>v2</b> & more -- see #1; 1 = 1"})
        call("POST", "/api/ruler/grafana/api/v1/rules/shop", {"name": "errors", "interval": "1m", "rules": [{"grafana_alert": {"title": "Errors > 5", "condition": "B", "data": [
            {"refId": "A", "model": TARGETS["prometheus"]}, {"refId": "B", "model": {"type": "threshold", "expression": "$A > 5 && $A < 100"}}]},
            "annotations": {"summary": "{{ $labels.instance }} has {{ $values.A.Value | humanize }} errors"}, "for": "5m"}]})
    with run.step("queries in SQL, tables of SQL in boards", special=True):
        call("POST", "/api/ds/query", query({"rawSql": SQL, "format": "table"}))
        call("POST", "/api/dashboards/db", board(TEXT, [{"rawSql": SQL, "format": "table"}]))
    with run.step("text panel with a script and an iframe", special=True):
        call("POST", "/api/dashboards/db", board("<script>alert(document.cookie)</script><iframe src='https://example.org/' onload=alert(1)></iframe>", []))
    with run.step("explore with a statement in its address", special=True):
        panes = "{\"a\":{\"datasource\":\"P1\",\"queries\":[{\"refId\":\"A\",\"rawSql\":\"" + SQL + "\"}],\"range\":{\"from\":\"now-1h\",\"to\":\"now\"}}}"
        call("GET", "/explore?schemaVersion=1&orgId=1&panes=" + urllib.parse.quote(panes))


if __name__ == "__main__":
    harness.measure("grafana-calls", "Grafana (replayed calls)", "calls of its interface", "10", calls.answers_always, drive, use=["grafana"], client="replayed calls")
