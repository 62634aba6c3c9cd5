# The engine without a search server inside: `argsearch`, from its wheel, as an unprivileged user.
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
COPY pyproject.toml setup.py constraints.txt README.md LICENSE NOTICE ./
COPY api api
COPY argsearch argsearch
COPY engine engine
COPY indexer indexer
COPY lab lab
COPY ranking ranking
COPY configs configs
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels . \
    && python -m venv /opt/argsearch \
    && set -- /wheels/*.whl \
    && /opt/argsearch/bin/pip install --no-cache-dir --constraint constraints.txt "$1[elasticsearch]" \
    && ln -s /opt/argsearch/lib/python3.11/site-packages/argsearch/indexer/sample /opt/argsearch/corpus

FROM python:3.11-slim-bookworm
RUN useradd --system --uid 10001 --create-home argsearch \
    && install --directory --owner argsearch /index /home/argsearch/.cache
COPY --from=build /opt/argsearch /opt/argsearch
ENV PATH="/opt/argsearch/bin:$PATH" \
    PYTHONUNBUFFERED=1
USER 10001
WORKDIR /home/argsearch
VOLUME ["/index"]
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/health', timeout=3)"]
ENTRYPOINT ["argsearch"]
CMD ["serve", "--index", "/index/args", "--host", "0.0.0.0", "--port", "8000"]
