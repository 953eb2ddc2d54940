# The course in a container: docker build -t course . && docker run --rm -it course
FROM python:3.12-slim AS tools
RUN apt-get update && apt-get install -y --no-install-recommends git make && rm -rf /var/lib/apt/lists/*

FROM tools
WORKDIR /course
COPY . .
RUN make setup
CMD ["make", "demo"]
