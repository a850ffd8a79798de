"""Calls in the shape of Elasticsearch's interface, before a server that answers everything."""

import calls
import harness

SEARCH = {"query": {"bool": {"must": [{"match": {"title": "O'Brien select & union"}}], "filter": [{"range": {"price": {"gte": 1, "lt": 5}}}, {"term": {"tag": "a=b"}}],
                             "must_not": [{"wildcard": {"file": "/var/log/nginx/*"}}]}}, "size": 20, "sort": [{"price": "desc"}, "_score"],
          "aggs": {"by_day": {"date_histogram": {"field": "@timestamp", "calendar_interval": "day"}, "aggs": {"p": {"percentiles": {"field": "ms"}}}}},
          "highlight": {"pre_tags": ["<em>"], "post_tags": ["</em>"], "fields": {"title": {}}}, "_source": ["title", "price"]}
BULK = ("{\"index\":{\"_index\":\"logs-2026\",\"_id\":\"1\"}}\n{\"@timestamp\":\"2026-11-23T10:00:00Z\",\"message\":\"GET /a?b=1 200 -- it's fine\",\"host\":\"web-1\"}\n"
        "{\"update\":{\"_id\":\"2\",\"_index\":\"goods\"}}\n{\"doc\":{\"title\":\"Tea & 'biscuits'; 1 = 1\"}}\n{\"delete\":{\"_index\":\"goods\",\"_id\":\"3\"}}\n")
ATTACKS = ("{\"index\":{\"_index\":\"logs-2026\"}}\n{\"message\":\"GET /?q=1' OR '1'='1' UNION SELECT password FROM users -- 403\"}\n"
           "{\"index\":{\"_index\":\"logs-2026\"}}\n{\"message\":\"GET /?f=../../../../etc/passwd <script>alert(1)</script> ${jndi:ldap://x/a}\"}\n")
NDJSON = {"Content-Type": "application/x-ndjson"}


def drive(run):
    def call(method, path, body=None, **headers):
        return calls.call(run, method, path, body, headers)

    with run.step("cluster, indexes, mappings"):
        for path in ("/", "/_cat/indices?v&s=index:desc&h=index,docs.count", "/_cluster/health?pretty", "/_nodes/stats/jvm,fs", "/goods/_mapping", "/logs-*,-logs-2025/_stats"):
            call("GET", path)
        call("HEAD", "/goods")
        call("PUT", "/goods", {"settings": {"number_of_shards": 1, "analysis": {"analyzer": {"names": {"type": "custom", "tokenizer": "standard", "filter": ["lowercase"]}}}},
                               "mappings": {"properties": {"title": {"type": "text"}, "price": {"type": "float"}}}})
    with run.step("documents, bulk, searches by POST and by query"):
        call("PUT", "/goods/_doc/1?refresh=true", {"title": "Tea & 'biscuits'", "note": "it's green; select one -- or drop by", "html": "<p>Don't <b>drop</b> it</p>"})
        call("POST", "/_bulk?refresh=wait_for", BULK, **NDJSON)
        call("POST", "/goods/_search", SEARCH)
        call("POST", "/goods,logs-*/_msearch", "{}\n{\"query\":{\"match_all\":{}}}\n{\"index\":\"goods\"}\n{\"query\":{\"match\":{\"title\":\"O'Brien\"}}}\n", **NDJSON)
        call("GET", "/goods/_search?q=title:(tea%20OR%20rose)%20AND%20-price:%3E3%20AND%20note:%22it%27s%20green%22&sort=price:asc&from=0&size=10")
        call("POST", "/goods/_update/1", {"doc": {"price": 2.5}})
        call("POST", "/goods/_delete_by_query", {"query": {"term": {"title": "old"}}})
        call("DELETE", "/goods/_doc/1")
    with run.step("searches by GET with a body", special=True):
        call("GET", "/goods/_search", SEARCH)
        call("GET", "/goods/_count", {"query": {"match": {"title": "tea"}}})
    with run.step("statements of its SQL, scripts", special=True):
        call("POST", "/_sql?format=json", {"query": "SELECT host, COUNT(*) FROM \"logs-2026\" WHERE status = '500' OR 1=1 GROUP BY host UNION SELECT 1, 2 -- all"})
        call("POST", "/goods/_update/1", {"script": {"source": "ctx._source.price += params.n; if (ctx._source.tags == null) { ctx._source.tags = new ArrayList() }", "params": {"n": 1}}})
        call("POST", "/goods/_search", {"query": {"script_score": {"query": {"match_all": {}}, "script": {"source": "Math.log(2 + doc['likes'].value) * System.currentTimeMillis()"}}}})
    with run.step("logs of another server, with the attacks that it saw", special=True):
        call("POST", "/_bulk", ATTACKS, **NDJSON)


if __name__ == "__main__":
    harness.measure("elasticsearch-calls", "Elasticsearch (replayed calls)", "calls of its interface", "8", calls.answers_always, drive, use=["elasticsearch"], client="replayed calls")
